import type { Executor } from '../executor/executor.ts';
import { globalOf, isVariableName } from '../executor/guest-names.ts';
import type { Outcome, OutcomeError } from '../executor/outcome.ts';
import type { ToolContext, Tools } from '../executor/run-tools.ts';
import { isGloveboxError } from '../shared/errors.ts';
import type { OutcomeCode } from '../shared/errors.ts';
import type { UntrustedTool } from '../tools/definition.ts';
import { ABORTED_END } from './attempt.ts';
import type { AttemptCall, AttemptEnd } from './attempt.ts';
import { failureOf } from './checks.ts';
import type { DispatchKind } from './dispatch-kinds.ts';
import type { Failure } from './dispatch-result.ts';
import { withLineage } from './lineage.ts';

/** What is needed of an executor. */
export type ToolExecutor = Pick<Executor, 'run'>;

/**
 * Runs the source of a tool once, with the tools that it uses. Its clock is that of the run, which
 * also ends it: nothing of it is left behind. Never rejects.
 *
 * @param toolsWithin Makes the tools that the source may call, for calls within this one.
 */
export async function attemptUntrusted(
  tool: UntrustedTool,
  call: AttemptCall,
  executor: ToolExecutor | undefined,
  toolsWithin: (names: readonly string[], parent: ToolContext) => Tools,
): Promise<AttemptEnd> {
  const { name, source, language = 'auto', limits = {}, uses = [] } = tool;
  if (executor === undefined) {
    const message = `${name} is run in the box: give the Dispatcher an executor.`;
    return { ok: false, failure: { kind: 'internal', message } };
  }
  const { dispatchId, signal, pause, lineage } = call;
  const context: ToolContext = {
    signal: signal ?? new AbortController().signal,
    tool: name,
    callId: dispatchId,
    pauseWallClock: pause,
  };
  const wallMs = leastOf(call.timeoutMs ?? tool.timeoutMs, limits.wallMs);
  try {
    const outcome = await executor.run({
      code: source,
      language,
      filename: FILENAME.test(name) ? `${name}.js` : undefined,
      variables: variablesOf(call.args, uses),
      tools: toolsWithin(uses, withLineage(context, lineage)),
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

/** Names that may be those of a file; a longer one goes without. */
const FILENAME = /^[\w.]{1,90}$/;

function leastOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

/** `args` is all of them; each of its properties is a variable of its own where it can be one. */
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
): AttemptEnd {
  if (outcome.ok) return { ok: true, value: outcome.value, logs };
  const { error } = outcome;
  if (error.code === 'ABORTED' && signal?.aborted === true) return { ...ABORTED_END, logs };
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

/** Ends after which another attempt may go well, as long as none of the source has run. */
const PASSING: ReadonlySet<OutcomeCode> = new Set(['HOST_LOST', 'QUEUE_FULL', 'QUEUE_TIMEOUT']);

function kindOf({ code, ran }: OutcomeError): DispatchKind {
  if (code === 'WALL_LIMIT') return 'timeout';
  if (code === 'UNSERIALIZABLE_RESULT') return 'unserializable';
  return PASSING.has(code) && ran === 'no' ? 'transient' : 'internal';
}
