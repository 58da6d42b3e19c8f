import type { LogEntry } from '../executor/outcome.ts';
import type { ToolContext, Tools } from '../executor/run-tools.ts';
import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { ABORTED, untilAborted } from './abort.ts';
import { ABORTED_END, attemptTrusted } from './attempt.ts';
import type { AttemptEnd } from './attempt.ts';
import { checkOutput, failureOf } from './checks.ts';
import type { Checked } from './checks.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { publish } from './dispatch-events.ts';
import { DISPATCH_KINDS } from './dispatch-kinds.ts';
import type { Failure } from './dispatch-result.ts';
import type { Ending } from './ending.ts';
import type { Lineage } from './lineage.ts';
import type { Places } from './places.ts';
import { askForApproval } from './tool-approval.ts';
import type { Approve } from './tool-approval.ts';
import { attemptUntrusted } from './untrusted.ts';
import type { ToolExecutor } from './untrusted.ts';

/** The first wait before another attempt, in milliseconds; each further one is four times longer. */
const FIRST_DELAY_MS = 100;
const DELAY_GROWTH = 4;
/** So that callers who failed together do not come back together. */
const DELAY_JITTER = 0.5;
/** No wait is longer, in milliseconds. */
const MAX_DELAY_MS = 60_000;

/** A call that has passed all checks of its request. */
export interface Call {
  readonly dispatchId: number;
  readonly tool: RegisteredTool;
  /** As the input schema made them. */
  readonly args: unknown;
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly pause: PauseWallClock;
  /** What is handed down to calls within this one; its last tool is this one. */
  readonly lineage: Lineage;
}

/** What the executions of a dispatcher have in common. */
export interface ExecutionSettings {
  readonly places: Places;
  readonly executor: ToolExecutor | undefined;
  readonly approve: Approve | undefined;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random: () => number;
  readonly toolsWithin: (names: readonly string[], parent: ToolContext) => Tools;
}

/** One execution of a tool: a person's yes, as many attempts as it takes, a checked result. */
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

  /** Attempts that were begun; it counts on while `run` is under way. */
  get attempts(): number {
    return this.#attempts;
  }

  /** To be called once. Never rejects. */
  async run(): Promise<Ending> {
    const end = await this.#run().catch((thrown: unknown): Checked => {
      // What the caller brought may throw as well: a budget that is frozen, a wait that is none.
      return { ok: false, failure: failureOf(thrown) };
    });
    const logs = this.#logs;
    return { end, attempts: this.#attempts, ...(logs === undefined ? {} : { logs }) };
  }

  async #run(): Promise<Checked> {
    // A call within a budget counts once, however often it is tried. It is taken before a person is
    // asked: of two calls that wait for a yes, the last one in the budget is but one.
    const { budget } = this.#call.lineage;
    if (budget !== undefined && budget.remaining <= 0) {
      return fail('budget_exceeded', 'The budget of tool calls is used up.');
    }
    if (budget !== undefined) budget.remaining--;
    const end = await this.#approveAndTry();
    if (budget !== undefined && this.#attempts === 0) budget.remaining++;
    return end;
  }

  async #approveAndTry(): Promise<Checked> {
    // Nobody is asked about a call that will not be made.
    if (this.#circuit?.isOpen === true) return this.#circuitOpen();
    const approved = await this.#askForApproval();
    if (!approved.ok) return approved;
    const end = await this.#tryUntilDone(approved.value);
    return end.ok ? checkOutput(this.#call.tool, end.value) : end;
  }

  async #askForApproval(): Promise<Checked> {
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
    const told: PauseWallClock = async (wait) => {
      publish('approval', () => ({ dispatchId, tool: tool.name, state: 'asked' }));
      try {
        return await pause(wait);
      } finally {
        publish('approval', () => ({ dispatchId, tool: tool.name, state: 'answered' }));
      }
    };
    const { approve = this.#settings.approve } = lineage;
    // One of its own where the caller gave none: whoever is asked may add listeners to it.
    const { signal = new AbortController().signal } = this.#call;
    const answer = await askForApproval(tool, request, needsApproval, approve, signal, told);
    return answer === ABORTED ? ABORTED_END : answer;
  }

  async #tryUntilDone(args: unknown): Promise<AttemptEnd> {
    const { dispatchId, tool } = this.#call;
    let last: AttemptEnd | undefined;
    for (;;) {
      const end = await this.#tryInPlace(args);
      // The circuit opened meanwhile: what the last attempt said tells more.
      if (end === undefined) return last ?? this.#circuitOpen();
      this.#logs = end.logs ?? this.#logs;
      if (end.ok || !this.#mayTryAgain(end.failure)) return end;
      last = end;
      const attempt = this.#attempts;
      const { kind } = end.failure;
      const delayMs = this.#delayMs();
      publish('retry', () => ({ dispatchId, tool: tool.name, attempt, kind, delayMs }));
      this.#call.lineage.trace?.addEvent('dispatch.retry', { attempt, 'error.type': kind });
      const { signal } = this.#call;
      const slept = untilAborted(this.#settings.sleep(delayMs, signal), signal);
      if ((await slept.catch(() => ABORTED)) === ABORTED) return ABORTED_END;
    }
  }

  /**
   * One attempt, as soon as there is a place for it. A place is held by an attempt alone, not by
   * its dispatch: who waits to try again keeps nobody out. An attempt that is left behind at its
   * timeout gives its place back, too: a tool that never returns could take all of them, and then
   * nothing would run any more; its circuit breaker bounds how many are left behind.
   *
   * @returns Undefined where the circuit is open.
   */
  async #tryInPlace(args: unknown): Promise<AttemptEnd | undefined> {
    const { signal, lineage } = this.#call;
    const { places } = this.#settings;
    // A call within a call shares its place: outer calls that hold all places would wait for inner
    // ones that get none.
    const needsPlace = lineage.tools.length === 1;
    if (needsPlace && !(await places.take(signal))) return ABORTED_END;
    try {
      if (this.#circuit?.enter() === false) return undefined;
      const end = signal?.aborted === true ? ABORTED_END : await this.#attempt(args);
      this.#tellCircuit(end);
      return end;
    } finally {
      if (needsPlace) places.giveBack();
    }
  }

  #attempt(args: unknown): Promise<AttemptEnd> {
    const attempt = ++this.#attempts;
    const { dispatchId, tool, timeoutMs, lineage } = this.#call;
    publish('attempt', () => ({ dispatchId, tool: tool.name, attempt }));
    lineage.trace?.addEvent('dispatch.attempt', { attempt });
    const call = { ...this.#call, args };
    const { definition } = tool;
    if ('source' in definition) {
      const { executor, toolsWithin } = this.#settings;
      return attemptUntrusted(definition, call, executor, toolsWithin);
    }
    const limitMs = timeoutMs ?? definition.timeoutMs ?? this.#settings.timeoutMs;
    return attemptTrusted(definition, call, limitMs);
  }

  #tellCircuit(end: AttemptEnd): void {
    if (end.ok || !DISPATCH_KINDS[end.failure.kind].isFault) {
      if (!end.ok && end.failure.kind === 'aborted') this.#circuit?.onGivenUp();
      else this.#circuit?.onSuccess();
    } else {
      this.#circuit?.onFailure();
    }
  }

  #mayTryAgain({ kind }: Failure): boolean {
    if (this.#attempts >= this.#settings.maxAttempts) return false;
    // After a timeout nobody knows what the tool has done.
    return (
      kind === 'transient' || (kind === 'timeout' && this.#call.tool.definition.idempotent === true)
    );
  }

  #delayMs(): number {
    const jitter = 1 + this.#settings.random() * DELAY_JITTER;
    return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * DELAY_GROWTH ** (this.#attempts - 1) * jitter);
  }

  #circuitOpen(): AttemptEnd {
    const { name } = this.#call.tool;
    return fail(
      'circuit_open',
      `${name} failed again and again of late; it is left alone for a while.`,
    );
  }
}

function fail(kind: Failure['kind'], message: string): AttemptEnd & { readonly ok: false } {
  return { ok: false, failure: { kind, message } };
}
