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

/** A tool that code of a client calls. */
type ToolEvent =
  | { readonly type: 'tool.start'; readonly tool: string; readonly callId: number }
  | {
      readonly type: 'tool.end';
      readonly tool: string;
      readonly callId: number;
      readonly ok: boolean;
      /** How it failed. */
      readonly kind?: DispatchKind;
      readonly durationMs: number;
    };

/** What comes with a call besides its parameters. */
export interface CallContext {
  /** Aborted when the client does not want the call any more, or is gone. */
  readonly signal: AbortSignal;
  /** Asks the client; the dispatcher's own `approve` is asked where it is missing. */
  readonly approve?: Approve | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
  readonly onEvent?: ((event: ToolEvent) => void) | undefined;
  /** Hears of the sessions of plans. */
  readonly onPlanEvent?: ((event: PlanEvent) => void) | undefined;
}

export type ExecuteRequest = Pick<RunOptions, 'code' | 'variables' | 'limits' | 'language'>;
export type CallRequest = Pick<DispatchRequest, 'args' | 'timeoutMs' | 'idempotencyKey'> & {
  readonly tool: string;
};

/** What servers offer, whatever protocol they speak: running code, and calling tools. */
export class Service {
  readonly #executor: Executor;
  readonly #dispatcher: Dispatcher;
  readonly #planner: Planner | undefined;
  /** The most that a client may ask for. */
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
      const message = 'A dispatcher has a registry of its own: give one of the two.';
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

  /** The tools that there are now. */
  get registry(): ToolRegistry {
    return this.#dispatcher.registry;
  }

  /**
   * Runs code of a client, which may call all tools.
   *
   * @throws {GloveboxError} What `executor.run` throws; `INVALID_OPTIONS` where the client asks for
   * more than it may have.
   * @throws {ServerRefusal} The server has too much to do, or is closing.
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
   * @throws {GloveboxError} `INVALID_OPTIONS`: the client asks for more time than it may have.
   * @throws {ServerRefusal} The server has too much to do, or is closing.
   */
  dispatch(request: CallRequest, context: CallContext): Promise<DispatchResult> {
    if (request.timeoutMs !== undefined) this.#checkMost('wallMs', request.timeoutMs, 'timeoutMs');
    const { approve } = context;
    return this.#track(context.signal, (signal) =>
      this.#dispatcher.dispatch({ ...request, approve, signal }),
    );
  }

  /** Whether goals can be brought without a plan. */
  get hasPlanner(): boolean {
    return this.#planner !== undefined;
  }

  /**
   * Carries out a plan of a client, or one that is made for its goal. Whatever becomes of it is in
   * the result.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`.
   * @throws {ServerRefusal} The server has too much to do, or is closing.
   */
  run(request: PlanRequest, context: CallContext): Promise<SessionResult> {
    const { approve, onPlanEvent: onEvent } = context;
    const { dispatch } = this.#dispatcherFor(context);
    const dispatcher = { registry: this.registry, dispatch };
    return this.#track(context.signal, (signal) =>
      runPlan(request, { planner: this.#planner, dispatcher, approve, onEvent, signal }),
    );
  }

  /** Takes no further calls, lets those under way end, and aborts what is left. */
  async close(): Promise<void> {
    this.#isOpen = false;
    const ended = Promise.allSettled(this.#calls);
    const timer = new AbortController();
    await Promise.race([ended, delay(this.#graceMs, undefined, { signal: timer.signal })]);
    timer.abort();
    this.#closing.abort(new Error('The server is closing.'));
    await ended;
    // What makes answers of results is promises alone: after a turn, all are on their way.
    await nextTurn();
  }

  async #track<T>(signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw new ServerRefusal('SERVER_CLOSING', 'The server is closing.');
    if (this.#calls.size >= this.#maxCalls) {
      const message = `The server has ${this.#maxCalls} calls under way; try again later.`;
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

  /** Calls the tools of one client's code, and tells of each. */
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
      const asked = limits[name];
      if (asked !== undefined) this.#checkMost(name, asked, `limits.${name}`);
    }
    return limits;
  }

  #checkMost(name: keyof Limits, asked: number, path: string): void {
    const most = this.#limits[name];
    if (asked <= most) return;
    throw new GloveboxError('INVALID_OPTIONS', `${path} is at most ${most} here.`, { path });
  }
}
