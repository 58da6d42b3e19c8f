import type { PauseWallClock } from '../executor/wall-clock.ts';
import { checkOptions } from '../shared/check-options.ts';
import { readThrown } from '../shared/thrown.ts';
import type { RegisteredTool, ToolRegistry } from '../tools/tool-registry.ts';
import { ABORTED } from './abort.ts';
import { ABORTED_END } from './attempt.ts';
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
import type { Ending } from './ending.ts';
import { createGuestTools } from './guest-tools.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { lineageOf } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { Places } from './places.ts';
import { Telemetry } from './telemetry.ts';
import type { Trace } from './telemetry.ts';

/** Calls within calls that are one too many. */
const MAX_DEPTH = 8;

/** A request that has been read. */
interface Incoming {
  readonly dispatchId: number;
  readonly request: DispatchRequest;
  readonly tool: RegisteredTool;
  readonly signal: AbortSignal | undefined;
  readonly lineage: Lineage;
}

interface Dispatched extends Ending {
  readonly cached: boolean;
}

/**
 * Stands between any caller and any tool. In this order a call is refused, or gets its result:
 *
 * 1. the tool is there; it is not under way already in this chain of calls;
 * 2. its arguments fit the schema;
 * 3. its idempotency key is not that of another call; a remembered value is given, a call under
 *    way is joined: neither needs budget, approval or place, since no tool is called;
 * 4. the key is taken, before anything is waited for;
 * 5. there is budget, and the tool's circuit is closed;
 * 6. a person approves, where that is needed: once for all attempts and for all who joined;
 * 7. for each attempt: there is a place.
 */
export class Dispatcher {
  readonly #registry: ToolRegistry;
  readonly #settings: ExecutionSettings;
  readonly #keys: IdempotencyKeys;
  readonly #telemetry: Telemetry;
  readonly #circuitBreaker: CircuitBreakerOptions | false;
  // By the tool itself: one that replaces another of its name begins anew.
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
      places: new Places(concurrency),
      toolsWithin: (names, parent) => createGuestTools(this, names, parent),
    };
  }

  /** The tools that can be called. */
  get registry(): ToolRegistry {
    return this.#registry;
  }

  /** Calls a tool. Whatever goes wrong is in the result: this never rejects. */
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
    if (signal?.aborted === true) return refused(ABORTED_END.failure);
    const input = await checkInput(tool, request.args);
    if (!input.ok) return refused(input.failure);
    const lineage = {
      tools: [...within, tool.name],
      budget: request.budget ?? parent?.budget,
      approve: request.approve ?? parent?.approve,
      trace,
    };
    const incoming = { dispatchId, request, tool, signal, lineage };
    const pause = request.parent?.pauseWallClock ?? pauseNothing;
    const { idempotencyKey } = request;
    if (idempotencyKey !== undefined) {
      return this.#dispatchOnce(idempotencyKey, incoming, input.value, pause);
    }
    const ending = await this.#execution(incoming, input.value, signal, pause).run();
    return { ...ending, cached: false };
  }

  async #dispatchOnce(
    key: string,
    incoming: Incoming,
    input: unknown,
    pause: PauseWallClock,
  ): Promise<Dispatched> {
    const { tool, request, signal } = incoming;
    const keyed = { tool: tool.name, args: request.args, signal, pause };
    let execution: Execution | undefined;
    const result = await this.#keys.once(key, keyed, (sharedSignal, sharedPause) => {
      execution = this.#execution(incoming, input, sharedSignal, sharedPause);
      return execution.run();
    });
    switch (result.type) {
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
      case 'remembered':
        return { end: { ok: true, value: result.value }, attempts: 0, cached: true };
      case 'executed':
      case 'joined': {
        const isOwn = result.type === 'executed';
        if (result.ending === ABORTED) {
          return { end: ABORTED_END, attempts: execution?.attempts ?? 0, cached: false };
        }
        return isOwn
          ? { ...result.ending, cached: false }
          : { ...result.ending, attempts: 0, cached: true };
      }
    }
  }

  #execution(
    { dispatchId, request, tool, lineage }: Incoming,
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

/** A dispatcher, or what stands before one. */
export type ToolDispatcher = Pick<Dispatcher, 'dispatch' | 'registry'>;

const pauseNothing: PauseWallClock = (wait) => wait();

function findRecursion(tool: string, within: readonly string[]): string | undefined {
  const chain = [...within, tool].join(' → ');
  if (within.includes(tool)) return `${tool} is under way already: ${chain}.`;
  if (within.length >= MAX_DEPTH) return `Calls within calls are too deep: ${chain}.`;
  return undefined;
}

function signalOf({ signal, parent }: DispatchRequest): AbortSignal | undefined {
  if (signal === undefined || parent === undefined) return signal ?? parent?.signal;
  return AbortSignal.any([signal, parent.signal]);
}

/** The end of a call for which no tool was called. */
function refused(failure: Failure): Dispatched {
  return { end: { ok: false, failure }, attempts: 0, cached: false };
}

function complete<T>(
  { end, attempts, cached, logs }: Dispatched,
  isIdempotent: boolean,
  startedAt: number,
): DispatchResult<T> {
  const common = {
    attempts,
    durationMs: performance.now() - startedAt,
    ...(logs === undefined ? {} : { logs }),
  };
  return end.ok
    ? // Of which type the tool's values are is the caller's word.
      { ok: true, value: end.value as T, cached, ...common }
    : { ok: false, error: completeError(end.failure, attempts, isIdempotent), ...common };
}
