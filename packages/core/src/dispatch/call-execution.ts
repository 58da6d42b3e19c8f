import type { LogEntry } from '../executor/outcome.ts';
import type { ToolContext, Tools } from '../executor/run-tools.ts';
import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { ABORTED, untilAborted } from './abort.ts';
import { ABORTED_RESULT, attemptTrusted } from './attempt.ts';
import type { AttemptResult } from './attempt.ts';
import { checkOutput, failureOf } from './checks.ts';
import type { ToolResult } from './checks.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { publish } from './dispatch-events.ts';
import { DISPATCH_KINDS } from './dispatch-kinds.ts';
import type { Failure } from './dispatch-result.ts';
import type { ExecutionResult } from './execution-result.ts';
import type { Lineage } from './lineage.ts';
import type { Semaphore } from './semaphore.ts';
import { askForApproval } from './tool-approval.ts';
import type { Approve } from './tool-approval.ts';
import { attemptUntrusted } from './untrusted.ts';
import type { ToolExecutor } from './untrusted.ts';

/** Delay before the second attempt, in milliseconds. Each further delay is four times longer. */
const FIRST_DELAY_MS = 100;
const DELAY_GROWTH = 4;
/** Jitter, so that callers that failed at the same time do not retry at the same time. */
const DELAY_JITTER = 0.5;
/** Longest delay, in milliseconds. */
const MAX_DELAY_MS = 60_000;

/** A call whose request has been validated. */
export interface Call {
  readonly dispatchId: number;
  readonly tool: RegisteredTool;
  /** The arguments, validated and transformed by the input schema. */
  readonly args: unknown;
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly pause: PauseWallClock;
  /** The lineage for nested calls. Its last tool is this one. */
  readonly lineage: Lineage;
}

/** Settings that all executions of a dispatcher share. */
export interface ExecutionSettings {
  /** Limits the number of attempts that run at the same time. */
  readonly semaphore: Semaphore;
  readonly executor: ToolExecutor | undefined;
  readonly approve: Approve | undefined;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random: () => number;
  /** Creates the tools for the source of an untrusted tool, whose calls are nested calls. */
  readonly createNestedTools: (names: readonly string[], parent: ToolContext) => Tools;
}

/** One execution of a tool: approval, one or more attempts, validation of the result. */
export class Execution {
  readonly #call: Call;
  readonly #settings: ExecutionSettings;
  readonly #circuit: CircuitBreaker | undefined;
  #attempts = 0;
  #logs: readonly LogEntry[] | undefined;

  constructor(call: Call, settings: ExecutionSettings, circuit: CircuitBreaker | undefined) {
    this.#call = call;
    this.#settings = settings;
    this.#circuit = circuit;
  }

  /** Number of attempts that were started, also while `run` is still in progress. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Executes the call. Call it once. Never rejects. */
  async run(): Promise<ExecutionResult> {
    const result = await this.#run().catch((thrown: unknown): ToolResult => {
      // Objects of the caller may throw: a frozen budget, or a `pause` that is not a function.
      return { ok: false, failure: failureOf(thrown) };
    });
    const logs = this.#logs;
    return { result, attempts: this.#attempts, ...(logs === undefined ? {} : { logs }) };
  }

  async #run(): Promise<ToolResult> {
    // A call uses the budget once, however many attempts it needs. It does so before approval:
    // otherwise two calls that wait for approval could both use the last unit of the budget.
    const { budget } = this.#call.lineage;
    if (budget !== undefined && budget.remaining <= 0) {
      return fail('budget_exceeded', 'The budget of tool calls is used up.');
    }
    if (budget !== undefined) budget.remaining--;
    const result = await this.#approveAndAttempt();
    if (budget !== undefined && this.#attempts === 0) budget.remaining++;
    return result;
  }

  async #approveAndAttempt(): Promise<ToolResult> {
    // Checked before approval, so that a person is not asked about a call that cannot be made.
    if (this.#circuit?.isOpen === true) return this.#circuitOpen();
    const approved = await this.#askForApproval();
    if (!approved.ok) return approved;
    const result = await this.#attemptUntilDone(approved.value);
    return result.ok ? checkOutput(this.#call.tool, result.value) : result;
  }

  async #askForApproval(): Promise<ToolResult> {
    const { tool, args, pause, dispatchId, lineage } = this.#call;
    const { needsApproval = false } = tool.definition;
    if (needsApproval === false) return { ok: true, value: args };
    const request = {
      dispatchId,
      tool: tool.name,
      description: tool.description,
      args,
      within: lineage.tools.slice(0, -1),
    };
    const pauseAndPublish: PauseWallClock = async (wait) => {
      publish('approval', () => ({ dispatchId, tool: tool.name, state: 'asked' }));
      try {
        return await pause(wait);
      } finally {
        publish('approval', () => ({ dispatchId, tool: tool.name, state: 'answered' }));
      }
    };
    const { approve = this.#settings.approve } = lineage;
    // A new signal if the caller gave none: the `approve` callback may add listeners to it.
    const { signal = new AbortController().signal } = this.#call;
    const answer = await askForApproval(
      tool,
      request,
      needsApproval,
      approve,
      signal,
      pauseAndPublish,
    );
    return answer === ABORTED ? ABORTED_RESULT : answer;
  }

  async #attemptUntilDone(args: unknown): Promise<AttemptResult> {
    const { dispatchId, tool } = this.#call;
    let last: AttemptResult | undefined;
    for (;;) {
      const result = await this.#attemptWithPermit(args);
      // The circuit has opened meanwhile. The failure of the last attempt says more than that.
      if (result === undefined) return last ?? this.#circuitOpen();
      this.#logs = result.logs ?? this.#logs;
      if (result.ok || !this.#mayRetry(result.failure)) return result;
      last = result;
      const attempt = this.#attempts;
      const { kind } = result.failure;
      const delayMs = this.#delayMs();
      publish('retry', () => ({ dispatchId, tool: tool.name, attempt, kind, delayMs }));
      this.#call.lineage.trace?.addEvent('dispatch.retry', { attempt, 'error.type': kind });
      const { signal } = this.#call;
      const slept = untilAborted(this.#settings.sleep(delayMs, signal), signal);
      if ((await slept.catch(() => ABORTED)) === ABORTED) return ABORTED_RESULT;
    }
  }

  /**
   * Makes one attempt when the semaphore has a permit for it. Only an attempt holds a permit: a call
   * that waits for its next attempt blocks no other call. An attempt that times out releases its
   * permit even if the tool is still running; otherwise tools that never return could hold all
   * permits for ever. The circuit breaker limits how many such tools keep running.
   *
   * @returns Undefined if the circuit is open.
   */
  async #attemptWithPermit(args: unknown): Promise<AttemptResult | undefined> {
    const { signal, lineage } = this.#call;
    const { semaphore } = this.#settings;
    // A nested call uses the permit of the outer call. Otherwise outer calls that hold all permits
    // and nested calls that need one would wait for each other.
    const needsPermit = lineage.tools.length === 1;
    if (needsPermit && !(await semaphore.acquire(signal))) return ABORTED_RESULT;
    try {
      if (this.#circuit?.enter() === false) return undefined;
      const result = signal?.aborted === true ? ABORTED_RESULT : await this.#attempt(args);
      this.#reportToCircuit(result);
      return result;
    } finally {
      if (needsPermit) semaphore.release();
    }
  }

  #attempt(args: unknown): Promise<AttemptResult> {
    const attempt = ++this.#attempts;
    const { dispatchId, tool, timeoutMs, lineage } = this.#call;
    publish('attempt', () => ({ dispatchId, tool: tool.name, attempt }));
    lineage.trace?.addEvent('dispatch.attempt', { attempt });
    const call = { ...this.#call, args };
    const { definition } = tool;
    if ('source' in definition) {
      const { executor, createNestedTools } = this.#settings;
      return attemptUntrusted(definition, call, executor, createNestedTools);
    }
    const limitMs = timeoutMs ?? definition.timeoutMs ?? this.#settings.timeoutMs;
    return attemptTrusted(definition, call, limitMs);
  }

  #reportToCircuit(result: AttemptResult): void {
    if (result.ok || !DISPATCH_KINDS[result.failure.kind].isFault) {
      if (!result.ok && result.failure.kind === 'aborted') this.#circuit?.onAborted();
      else this.#circuit?.onSuccess();
    } else {
      this.#circuit?.onFailure();
    }
  }

  #mayRetry({ kind }: Failure): boolean {
    if (this.#attempts >= this.#settings.maxAttempts) return false;
    // After a timeout it is unknown what the tool has done, so only idempotent tools are retried.
    return (
      kind === 'transient' || (kind === 'timeout' && this.#call.tool.definition.idempotent === true)
    );
  }

  #delayMs(): number {
    const jitter = 1 + this.#settings.random() * DELAY_JITTER;
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * DELAY_GROWTH ** (this.#attempts - 1) * jitter);
  }

  #circuitOpen(): AttemptResult {
    const { name } = this.#call.tool;
    return fail('circuit_open', `${name} failed repeatedly; its circuit breaker is open.`);
  }
}

function fail(kind: Failure['kind'], message: string): AttemptResult & { readonly ok: false } {
  return { ok: false, failure: { kind, message } };
}
