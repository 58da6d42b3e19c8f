import type { PauseWallClock } from '../executor/wall-clock.ts';
import { checkOptions } from '../shared/check-options.ts';
import { readThrown } from '../shared/thrown.ts';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.ts';
import { ABORTED } from './abort.ts';
import { ABORTED_RESULT } from './attempt.ts';
import { Execution } from './call-execution.ts';
import type { ExecutionSettings } from './call-execution.ts';
import { checkInput } from './checks.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { CircuitBreakerOptions } from './circuit-breaker.ts';
import { publish } from './dispatch-events.ts';
import { dispatchRequestSchema } from './dispatch-request.ts';
import type { DispatchRequest } from './dispatch-request.ts';
import { completeError } from './dispatch-result.ts';
import type { DispatchResult, Failure } from './dispatch-result.ts';
import { dispatcherOptionsSchema } from './dispatcher-options.ts';
import type { DispatcherOptions } from './dispatcher-options.ts';
import type { ExecutionResult } from './execution-result.ts';
import { createGuestTools } from './guest-tools.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { lineageOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { Semaphore } from './semaphore.ts';
import { Telemetry } from './telemetry.ts';
import type { Trace } from './telemetry.ts';

/** The longest chain of nested calls. */
const MAX_DEPTH = 8;

/** A valid request for a tool that exists. */
interface ValidRequest {
  readonly dispatchId: number;
  readonly request: DispatchRequest;
  readonly tool: RegisteredTool;
  readonly signal: AbortSignal | undefined;
  readonly lineage: Lineage;
}

interface Dispatched extends ExecutionResult {
  readonly cached: boolean;
}

/**
 * Calls tools for any caller: validates, asks for approval, limits concurrency, and retries. It
 * checks each call in this order:
 *
 * 1. The tool exists, and is not already running in this chain of calls.
 * 2. The arguments fit the schema.
 * 3. The idempotency key does not belong to another call. If there is a cached value, it is the
 *    result; if a call with the key is in progress, this call joins it. Neither needs budget,
 *    approval or a permit, because no tool is called.
 * 4. The key is reserved, before the first `await` that could let another call take it.
 * 5. There is budget, and the circuit breaker of the tool is closed.
 * 6. A person approves, if that is needed: once for all attempts and for all calls that join.
 * 7. For each attempt, the semaphore has a permit.
 */
export class Dispatcher {
  readonly #registry: ToolRegistry;
  readonly #settings: ExecutionSettings;
  readonly #keys: IdempotencyKeys;
  readonly #telemetry: Telemetry;
  readonly #circuitBreaker: CircuitBreakerOptions | false;
  // The keys are tools, not names: a tool that replaces another one starts with a new breaker.
  readonly #circuits = new WeakMap<RegisteredTool, CircuitBreaker>();
  #lastId = 0;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(options: DispatcherOptions) {
    const checked = checkOptions(dispatcherOptionsSchema, options, 'Dispatcher');
    const { registry, concurrency, cache, circuitBreaker, telemetry, ...settings } = checked;
    this.#registry = registry;
    this.#keys = new IdempotencyKeys(cache);
    this.#telemetry = new Telemetry(telemetry);
    this.#circuitBreaker = circuitBreaker;
    this.#settings = {
      ...settings,
      executor: settings.executor,
      approve: settings.approve,
      semaphore: new Semaphore(concurrency),
      createNestedTools: (names, parent) => createGuestTools(this, names, parent),
    };
  }

  /** The tools that can be called. */
  get registry(): ToolRegistry {
    return this.#registry;
  }

  /** Calls a tool. Every failure is reported in the result; the promise never rejects. */
  async dispatch<T = unknown>(request: DispatchRequest): Promise<DispatchResult<T>> {
    const startedAt = performance.now();
    const dispatchId = ++this.#lastId;
    let checked: DispatchRequest;
    try {
      checked = checkOptions(dispatchRequestSchema, request, 'dispatch');
    } catch (thrown) {
      const { message } = readThrown(thrown);
      const failed = refused({ kind: 'invalid_request', message });
      return complete<T>(failed, false, startedAt);
    }
    const { args, callId } = checked;
    const tool =
      typeof checked.tool === 'string' ? this.#registry.find(checked.tool) : checked.tool;
    const toolName = typeof checked.tool === 'string' ? checked.tool : checked.tool.name;
    publish('start', () => ({ dispatchId, tool: toolName }));
    const parent = lineageOf(checked.parent);
    const call = { toolName, tool, args, callId, parent: parent?.trace };
    const result = await this.#telemetry.trace(call, async (trace) => {
      const dispatched =
        tool === undefined
          ? refused({
              kind: 'not_found',
              message: `There is no tool named ${JSON.stringify(toolName)}.`,
            })
          : await this.#dispatch(dispatchId, checked, tool, parent, trace);
      return complete<T>(dispatched, tool?.definition.idempotent === true, startedAt);
    });
    publish('end', () => ({
      dispatchId,
      tool: toolName,
      ok: result.ok,
      kind: result.ok ? undefined : result.error.kind,
      attempts: result.attempts,
      cached: result.ok && result.cached,
      durationMs: result.durationMs,
    }));
    return result;
  }

  async #dispatch(
    dispatchId: number,
    request: DispatchRequest,
    tool: RegisteredTool,
    parent: Lineage | undefined,
    trace: Trace | undefined,
  ): Promise<Dispatched> {
    const within = parent?.tools ?? [];
    const recursion = findRecursion(tool.name, within);
    if (recursion !== undefined) return refused({ kind: 'recursion', message: recursion });
    const signal = signalOf(request);
    if (signal?.aborted === true) return refused(ABORTED_RESULT.failure);
    const input = await checkInput(tool, request.args);
    if (!input.ok) return refused(input.failure);
    const lineage = {
      tools: [...within, tool.name],
      budget: request.budget ?? parent?.budget,
      approve: request.approve ?? parent?.approve,
      trace,
    };
    const valid = { dispatchId, request, tool, signal, lineage };
    const pause = request.parent?.pauseWallClock ?? pauseNothing;
    const { idempotencyKey } = request;
    if (idempotencyKey !== undefined) {
      return this.#dispatchOnce(idempotencyKey, valid, input.value, pause);
    }
    const executed = await this.#execution(valid, input.value, signal, pause).run();
    return { ...executed, cached: false };
  }

  async #dispatchOnce(
    key: string,
    valid: ValidRequest,
    input: unknown,
    pause: PauseWallClock,
  ): Promise<Dispatched> {
    const { tool, request, signal } = valid;
    const keyed = { tool: tool.name, args: request.args, signal, pause };
    let execution: Execution | undefined;
    const once = await this.#keys.once(key, keyed, (sharedSignal, sharedPause) => {
      execution = this.#execution(valid, input, sharedSignal, sharedPause);
      return execution.run();
    });
    switch (once.type) {
      case 'conflict':
        return refused({
          kind: 'idempotency_conflict',
          message: `The idempotency key ${JSON.stringify(key)} belongs to another call.`,
        });
      case 'unclonable':
        return refused({
          kind: 'unserializable',
          message: `With an idempotency key, the arguments of ${tool.name} must be data.`,
        });
      case 'cached':
        return { result: { ok: true, value: once.value }, attempts: 0, cached: true };
      case 'executed':
      case 'joined': {
        const isOwn = once.type === 'executed';
        if (once.executed === ABORTED) {
          return { result: ABORTED_RESULT, attempts: execution?.attempts ?? 0, cached: false };
        }
        return isOwn
          ? { ...once.executed, cached: false }
          : { ...once.executed, attempts: 0, cached: true };
      }
    }
  }

  #execution(
    { dispatchId, request, tool, lineage }: ValidRequest,
    args: unknown,
    signal: AbortSignal | undefined,
    pause: PauseWallClock,
  ): Execution {
    const { timeoutMs, idempotencyKey } = request;
    const call = { dispatchId, tool, args, timeoutMs, idempotencyKey, signal, pause, lineage };
    return new Execution(call, this.#settings, this.#circuitOf(tool));
  }

  #circuitOf(tool: RegisteredTool): CircuitBreaker | undefined {
    if (this.#circuitBreaker === false) return undefined;
    let circuit = this.#circuits.get(tool);
    if (circuit === undefined) {
      circuit = new CircuitBreaker(this.#circuitBreaker);
      this.#circuits.set(tool, circuit);
    }
    return circuit;
  }
}

/** A dispatcher, or a wrapper of one. */
export type ToolDispatcher = Pick<Dispatcher, 'dispatch' | 'registry'>;

const pauseNothing: PauseWallClock = (wait) => wait();

function findRecursion(tool: string, within: readonly string[]): string | undefined {
  const chain = [...within, tool].join(' → ');
  if (within.includes(tool)) return `${tool} is already running: ${chain}.`;
  if (within.length >= MAX_DEPTH) return `The chain of nested calls is too long: ${chain}.`;
  return undefined;
}

function signalOf({ signal, parent }: DispatchRequest): AbortSignal | undefined {
  if (signal === undefined || parent === undefined) return signal ?? parent?.signal;
  return AbortSignal.any([signal, parent.signal]);
}

/** The result of a call that failed before the tool was called. */
function refused(failure: Failure): Dispatched {
  return { result: { ok: false, failure }, attempts: 0, cached: false };
}

function complete<T>(
  { result, attempts, cached, logs }: Dispatched,
  isIdempotent: boolean,
  startedAt: number,
): DispatchResult<T> {
  const common = {
    attempts,
    durationMs: performance.now() - startedAt,
    ...(logs === undefined ? {} : { logs }),
  };
  return result.ok
    ? // The caller asserts the type of the tool's values.
      { ok: true, value: result.value as T, cached, ...common }
    : { ok: false, error: completeError(result.failure, attempts, isIdempotent), ...common };
}
