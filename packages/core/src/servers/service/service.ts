import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

import { DEFAULT_LIMITS, mergeLimits } from '@glovebox/protocol/limits';
import type { Limits, LimitsInput } from '@glovebox/protocol/limits';

import type { DispatchKind } from '../../dispatch/dispatch-kinds.ts';
import type { DispatchRequest } from '../../dispatch/dispatch-request.ts';
import type { DispatchResult } from '../../dispatch/dispatch-result.ts';
import { Dispatcher } from '../../dispatch/dispatcher.ts';
import { createGuestTools } from '../../dispatch/guest-tools.ts';
import type { Approve } from '../../dispatch/tool-approval.ts';
import type { Executor } from '../../executor/executor.ts';
import type { LogEntry, Outcome } from '../../executor/outcome.ts';
import type { RunOptions } from '../../executor/run-options.ts';
import type { PlanEvent } from '../../plan-execute/plan-events.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import type { SessionResult } from '../../plan-execute/session-result.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { runPlan } from './run-plan.ts';
import type { PlanRequest } from './run-plan.ts';
import type { ServiceSettings } from './service-options.ts';
import { ServerRefusal } from './service-refusal.ts';

/** A tool call by code of a client. */
type ToolEvent =
  | { readonly type: 'tool.start'; readonly tool: string; readonly callId: number }
  | {
      readonly type: 'tool.end';
      readonly tool: string;
      readonly callId: number;
      readonly ok: boolean;
      /** The kind of failure; absent if the call succeeded. */
      readonly kind?: DispatchKind;
      readonly durationMs: number;
    };

/** Signal and callbacks of a call. */
export interface CallContext {
  /** Aborted when the client cancels the call or disconnects. */
  readonly signal: AbortSignal;
  /** Asks the client for approval; without it, the `approve` of the dispatcher is called. */
  readonly approve?: Approve | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  readonly onEvent?: ((event: ToolEvent) => void) | undefined;
  /** Called with the events of plan-execute sessions. */
  readonly onPlanEvent?: ((event: PlanEvent) => void) | undefined;
}

export type ExecuteRequest = Pick<RunOptions, 'code' | 'variables' | 'limits' | 'language'>;
export type CallRequest = Pick<DispatchRequest, 'args' | 'timeoutMs' | 'idempotencyKey'> & {
  readonly tool: string;
};

/** What servers of all protocols offer: running code, calling tools and executing plans. */
export class Service {
  readonly #executor: Executor;
  readonly #dispatcher: Dispatcher;
  readonly #planner: Planner | undefined;
  /** The maximum that a client may request. */
  readonly #limits: Limits;
  readonly #maxCalls: number;
  readonly #graceMs: number;
  readonly #calls = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #isOpen = true;

  /** @throws {GloveboxError} `INVALID_OPTIONS`. */
  constructor(settings: ServiceSettings) {
    const { executor, registry, dispatcher, planner, limits, maxCalls, graceMs } = settings;
    if (registry !== undefined && dispatcher !== undefined) {
      const message = 'A dispatcher has its own registry: give either registry or dispatcher.';
      throw new GloveboxError('INVALID_OPTIONS', message, { path: 'registry' });
    }
    this.#executor = executor;
    this.#dispatcher =
      dispatcher ?? new Dispatcher({ registry: registry ?? new ToolRegistry(), executor });
    this.#planner = planner;
    this.#limits = mergeLimits(DEFAULT_LIMITS, limits);
    this.#maxCalls = maxCalls;
    this.#graceMs = graceMs;
  }

  /** The registry with the tools that clients may call. */
  get registry(): ToolRegistry {
    return this.#dispatcher.registry;
  }

  /**
   * Runs code of a client. The code may call all tools.
   *
   * @throws {GloveboxError} What `executor.run` throws; `INVALID_OPTIONS` if the client requests
   * more than its maximum.
   * @throws {ServerRefusal} if the server is busy or closing.
   */
  execute(request: ExecuteRequest, context: CallContext): Promise<Outcome> {
    const limits = { ...this.#limits, ...this.#check(request.limits) };
    const { names } = this.registry;
    const tools = createGuestTools(this.#dispatcherFor(context), names);
    const { onLog } = context;
    return this.#track(context.signal, (signal) =>
      this.#executor.run({ ...request, limits, tools, signal, onLog }),
    );
  }

  /**
   * Calls a tool for a client.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS` if the client requests more time than its maximum.
   * @throws {ServerRefusal} if the server is busy or closing.
   */
  dispatch(request: CallRequest, context: CallContext): Promise<DispatchResult> {
    if (request.timeoutMs !== undefined)
      this.#checkMaximum('wallMs', request.timeoutMs, 'timeoutMs');
    const { approve } = context;
    return this.#track(context.signal, (signal) =>
      this.#dispatcher.dispatch({ ...request, approve, signal }),
    );
  }

  /** Whether clients may send goals without a plan. */
  get hasPlanner(): boolean {
    return this.#planner !== undefined;
  }

  /**
   * Executes the plan of a client, or a plan that the planner makes for the client's goal. If the
   * plan fails, the result says so.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`.
   * @throws {ServerRefusal} if the server is busy or closing.
   */
  run(request: PlanRequest, context: CallContext): Promise<SessionResult> {
    const { approve, onPlanEvent: onEvent } = context;
    const { dispatch } = this.#dispatcherFor(context);
    const dispatcher = { registry: this.registry, dispatch };
    return this.#track(context.signal, (signal) =>
      runPlan(request, { planner: this.#planner, dispatcher, approve, onEvent, signal }),
    );
  }

  /** Refuses new calls, waits for running calls within the grace time, and aborts the rest. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const ended = Promise.allSettled(this.#calls);
    const timer = new AbortController();
    await Promise.race([ended, delay(this.#graceMs, undefined, { signal: timer.signal })]);
    timer.abort();
    this.#closing.abort(new Error('The server is closing.'));
    await ended;
    // Results become responses in promise callbacks only: after one turn, all are being sent.
    await nextTurn();
  }

  async #track<T>(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw new ServerRefusal('SERVER_CLOSING', 'The server is closing.');
    if (this.#calls.size >= this.#maxCalls) {
      const message = `The server already runs ${this.#maxCalls} calls; try again later.`;
      throw new ServerRefusal('SERVER_BUSY', message);
    }
    const call = start(AbortSignal.any([signal, this.#closing.signal]));
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  /** A dispatcher for the code of one client, which reports each call to `onEvent`. */
  #dispatcherFor({ approve, onEvent }: CallContext): Pick<Dispatcher, 'dispatch'> {
    return {
      dispatch: async <T>(request: DispatchRequest): Promise<DispatchResult<T>> => {
        const tool = typeof request.tool === 'string' ? request.tool : request.tool.name;
        const callId = request.parent?.callId ?? 0;
        onEvent?.({ type: 'tool.start', tool, callId });
        const result = await this.#dispatcher.dispatch<T>({ ...request, approve });
        const { ok, durationMs } = result;
        const kind = ok ? {} : { kind: result.error.kind };
        onEvent?.({ type: 'tool.end', tool, callId, ok, ...kind, durationMs });
        return result;
      },
    };
  }

  #check(limits: LimitsInput = {}): LimitsInput {
    for (const name of Object.keys(this.#limits) as (keyof Limits)[]) {
      const requested = limits[name];
      if (requested !== undefined) this.#checkMaximum(name, requested, `limits.${name}`);
    }
    return limits;
  }

  #checkMaximum(name: keyof Limits, requested: number, path: string): void {
    const maximum = this.#limits[name];
    if (requested <= maximum) return;
    const message = `${path} must be at most ${maximum} on this server.`;
    throw new GloveboxError('INVALID_OPTIONS', message, { path });
  }
}
