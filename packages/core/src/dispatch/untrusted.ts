import type { Executor } from '../executor/executor.ts';
import { globalOf, isVariableName } from '../executor/guest-names.ts';
import type { Outcome, OutcomeError } from '../executor/outcome.ts';
import type { ToolContext, Tools } from '../executor/run-tools.ts';
import { isGloveboxError } from '../shared/errors.ts';
import type { OutcomeCode } from '../shared/errors.ts';
import type { UntrustedTool } from '../tools/definition.ts';
import { ABORTED_RESULT } from './attempt.ts';
import type { AttemptCall, AttemptResult } from './attempt.ts';
import { failureOf } from './checks.ts';
import type { DispatchKind } from './dispatch-kinds.ts';
import type { Failure } from './dispatch-result.ts';
import { withLineage } from './lineage.ts';

/** The part of an executor that a dispatcher needs. */
export type ToolExecutor = Pick<Executor, 'run'>;

/**
 * Runs the source of an untrusted tool once, with the tools that it uses. The wall limit of the run
 * is the time limit of the attempt, so nothing keeps running after a timeout. Never rejects.
 *
 * @param createNestedTools Creates the tools that the source may call; their calls are nested.
 */
export async function attemptUntrusted(
  tool: UntrustedTool,
  call: AttemptCall,
  executor: ToolExecutor | undefined,
  createNestedTools: (names: readonly string[], parent: ToolContext) => Tools,
): Promise<AttemptResult> {
  const { name, source, language = 'auto', limits = {}, uses = [] } = tool;
  if (executor === undefined) {
    const message = `${name} runs in the sandbox: give the Dispatcher an executor.`;
    return { ok: false, failure: { kind: 'internal', message } };
  }
  const { dispatchId, signal, pause, lineage } = call;
  const context: ToolContext = {
    signal: signal ?? new AbortController().signal,
    tool: name,
    callId: dispatchId,
    pauseWallClock: pause,
  };
  const wallMs = minOf(call.timeoutMs ?? tool.timeoutMs, limits.wallMs);
  try {
    const outcome = await executor.run({
      code: source,
      language,
      filename: FILENAME.test(name) ? `${name}.js` : undefined,
      variables: variablesOf(call.args, uses),
      tools: createNestedTools(uses, withLineage(context, lineage)),
      limits: { ...limits, wallMs },
      signal,
    });
    return readRun(outcome, name, signal);
  } catch (thrown) {
    if (isGloveboxError(thrown) && thrown.code === 'UNSERIALIZABLE_VARIABLES') {
      const { message, path = '' } = thrown;
      return { ok: false, failure: { kind: 'unserializable', message, path } };
    }
    return { ok: false, failure: failureOf(thrown) };
  }
}

/** Tool names that can be file names in stack traces. Longer ones use the default file name. */
const FILENAME = /^[\w.]{1,90}$/;

/** The smaller number; undefined only if both are. */
function minOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

/** `args` is the whole value. Each property whose name is a valid variable name is a variable. */
function variablesOf(args: unknown, uses: readonly string[]): Record<string, unknown> {
  const taken = new Set(['args', ...uses.map(globalOf)]);
  const isRecord = typeof args === 'object' && args !== null && !Array.isArray(args);
  const properties = isRecord ? Object.entries(args) : [];
  return Object.fromEntries([
    ...properties.filter(([name]) => isVariableName(name) && !taken.has(name)),
    ['args', args],
  ]);
}

function readRun(
  { logs, ...outcome }: Outcome,
  tool: string,
  signal: AbortSignal | undefined,
): AttemptResult {
  if (outcome.ok) return { ok: true, value: outcome.value, logs };
  const { error } = outcome;
  if (error.code === 'ABORTED' && signal?.aborted === true) return { ...ABORTED_RESULT, logs };
  return { ok: false, failure: failureOfRun(error, tool), logs };
}

function failureOfRun(error: OutcomeError, tool: string): Failure {
  const { code, name, message, guestCode, path } = error;
  const isThrown = code === 'GUEST_ERROR';
  return {
    kind: kindOf(error),
    message: isThrown ? message : `${tool}: ${message}`,
    outcomeCode: code,
    ...(isThrown ? { name } : {}),
    ...(guestCode === undefined ? {} : { toolCode: guestCode }),
    ...(path === undefined ? {} : { path }),
  };
}

/** Failures after which another attempt may succeed. It is safe only if the source has not run. */
const TRANSIENT_CODES: ReadonlySet<OutcomeCode> = new Set([
  'HOST_LOST',
  'QUEUE_FULL',
  'QUEUE_TIMEOUT',
]);

function kindOf({ code, ran }: OutcomeError): DispatchKind {
  if (code === 'WALL_LIMIT') return 'timeout';
  if (code === 'UNSERIALIZABLE_RESULT') return 'unserializable';
  return TRANSIENT_CODES.has(code) && ran === 'no' ? 'transient' : 'internal';
}
