import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { JobHandle, JobObserver, PoolEnd } from '../pools/worker-pool.ts';
import { debugLog, inOneLine, ms } from '../shared/debug-log.ts';
import { OUTCOME_CODES } from '../shared/errors.ts';
import { WorkLimitError } from '../shared/work-slices.ts';
import type { WorkInSlices } from '../shared/work-slices.ts';
import { readFromGuest } from './from-guest.ts';
import type { LogEntry, LogLevel, Outcome, Usage } from './outcome.ts';
import { readOutcome, unreadable, wallLimit } from './read-outcome.ts';
import type { ReadOutcome, RunError } from './read-outcome.ts';
import { callTool } from './run-tools.ts';
import type { ToolDefinition, ToolFunction } from './run-tools.ts';
import { serializeForGuest } from './to-guest.ts';
import { encodeToolError, RESULT_TOO_LARGE } from './tool-replies.ts';
import { WallClock } from './wall-clock.ts';
import type { PauseWallClock } from './wall-clock.ts';

/** Time that a slot has to stop a run before the run is killed. */
const STOP_GRACE_MS = 100;
/** What each log line costs in addition to its text. The guest runtime uses the same number. */
const LINE_OVERHEAD = 16;
/** The guest runtime's note that logs were cut may exceed the limit by this much. */
const LOG_SLACK = 1024;
/** A correct slot exceeds the limit by at most this much, with its own lines about the run. */
const LOG_BREACH = 256 * 1024;

/** Number of the last run. Only the debug log uses such numbers. */
let lastNumber = 0;

const LEVELS: ReadonlySet<string> = new Set<LogLevel>(['debug', 'info', 'warn', 'error']);

export interface RunSpec {
  readonly job: Job;
  readonly limits: Limits;
  readonly tools: ReadonlyMap<string, ToolFunction | ToolDefinition>;
  readonly signal: AbortSignal | undefined;
  readonly onLog: ((entry: LogEntry) => void) | undefined;
}

/** Why the executor ends a run. */
type StopReason = Omit<RunError, 'ran'>;

/**
 * The trusted side of one run: it measures time, calls the tools, enforces limits, and settles
 * exactly once. It trusts events from the pool no more than the guest.
 */
export class Run implements JobObserver {
  readonly #spec: RunSpec;
  readonly #callInContext: <Result>(call: () => Result) => Result;
  readonly #number = debugLog.enabled ? ++lastNumber : 0;
  readonly #settled = Promise.withResolvers<Outcome>();
  readonly #submittedAt = performance.now();
  readonly #logs: LogEntry[] = [];
  readonly #calls = new Set<number>();
  #handle: JobHandle | undefined;
  #startedAt: number | undefined;
  /** How long the run had been running when the pool reported its start. */
  #heldMs = 0;
  #wallClock: WallClock | undefined;
  #hostId = '';
  #toolAbort: AbortController | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #stopReason: StopReason | undefined;
  /** The result, while it is being decoded. */
  #reading: WorkInSlices<unknown> | undefined;
  #done = false;
  #logBytes = 0;
  /** Bytes of all log lines that were received, including dropped ones. */
  #logBytesReceived = 0;

  /** @param callInContext Calls a tool in the async context for tools of this run. */
  constructor(spec: RunSpec, callInContext: <Result>(call: () => Result) => Result) {
    this.#spec = spec;
    this.#callInContext = callInContext;
  }

  /** Submits the job to a pool or session. Never rejects. */
  start(submit: (job: Job, observer: JobObserver) => JobHandle): Promise<Outcome> {
    const { signal, job } = this.#spec;
    if (signal?.aborted === true) {
      this.#settleError({ ...this.#aborted(), ran: 'no' });
    } else {
      signal?.addEventListener('abort', this.#onAbort);
      this.#handle = submit(job, this);
    }
    return this.#settled.promise;
  }

  /** Settles the run with an error, without submitting it. */
  refuse(error: RunError): Promise<Outcome> {
    this.#settleError(error);
    return this.#settled.promise;
  }

  /** Ends the run as `ABORTED`. */
  abort(message: string, cause: unknown): void {
    this.#stopWith({ code: 'ABORTED', message, cause });
  }

  onStart(hostId: string, heldMs = 0): void {
    const { limits } = this.#spec;
    this.#hostId = hostId;
    if (debugLog.enabled) {
      const waited = ms(performance.now() - heldMs - this.#submittedAt);
      debugLog('run %d: started in %s, after %s', this.#number, inOneLine(hostId), waited);
    }
    // A second attempt, after a host was lost, does not restart the clock.
    if (this.#startedAt !== undefined) return;
    const now = performance.now();
    // `heldMs` of the pool affects only the reported usage, not how long the run may take.
    this.#startedAt = Math.max(now - heldMs, this.#submittedAt);
    this.#heldMs = now - this.#startedAt;
    this.#wallClock = new WallClock(limits.wallMs, () => {
      this.#stopWith(wallLimit(limits, this.#wallMs()));
    });
  }

  onLog(level: string, text: string): void {
    if (this.#done || this.#stopReason !== undefined) return;
    const cost = Buffer.byteLength(text) + LINE_OVERHEAD;
    const { logBytes } = this.#spec.limits;
    this.#logBytesReceived += cost;
    if (this.#logBytesReceived > logBytes + LOG_BREACH) {
      this.#breach('The run sent far more log text than its limit allows.');
      return;
    }
    if (this.#logBytes + cost > logBytes + LOG_SLACK) return;
    this.#logBytes += cost;
    const entry: LogEntry = {
      level: LEVELS.has(level) ? (level as LogLevel) : 'info',
      text,
      at: Date.now(),
    };
    this.#logs.push(entry);
    try {
      this.#spec.onLog?.(entry);
    } catch (error) {
      // An error of the caller's callback must reach the caller and not the pool.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  onCall(callId: number, name: string, text: string): void {
    if (this.#done || this.#stopReason !== undefined) return;
    const { toolCalls } = this.#spec.limits;
    const tool = this.#spec.tools.get(name);
    if (tool === undefined || this.#calls.has(callId)) {
      this.#breach(`The run sent an invalid tool call of ${JSON.stringify(name)}.`);
      return;
    }
    this.#calls.add(callId);
    if (this.#calls.size > toolCalls) {
      this.#stopWith({
        code: 'TOOL_CALL_LIMIT',
        message: `The code called tools more than ${toolCalls} times.`,
        limit: toolCalls,
        used: this.#calls.size,
      });
      return;
    }
    void this.#call(callId, name, tool, text);
  }

  onEnd(end: PoolEnd): void {
    if (this.#done) return;
    if (this.#stopReason !== undefined) {
      // The executor has stopped the run, so its own reason counts, not what the pool reports.
      this.#settleStopped(end.type === 'outcome' ? end.outcome : undefined);
    } else if (end.type === 'failure') {
      const { type: _type, ...failure } = end;
      this.#settleError(failure);
    } else {
      this.#settleOutcome(end.outcome);
    }
  }

  /** Calls a tool and sends the reply. Never rejects. */
  async #call(
    callId: number,
    name: string,
    tool: ToolFunction | ToolDefinition,
    text: string,
  ): Promise<void> {
    const { toolArgBytes, toolResultBytes } = this.#spec.limits;
    let input: unknown;
    try {
      const reading = readFromGuest(text, toolArgBytes);
      input = 'value' in reading ? reading.value : await reading.done;
    } catch (error) {
      this.#refuseArguments(name, error);
      return;
    }
    if (this.#done || this.#stopReason !== undefined) return;
    this.#toolAbort ??= new AbortController();
    const { signal } = this.#toolAbort;
    let reply: { ok: boolean; text: string } | typeof RESULT_TOO_LARGE;
    try {
      const context = { signal, tool: name, callId, pauseWallClock: this.#pauseWallClock };
      const value = await this.#callInContext(() => callTool(tool, input, context));
      reply = { ok: true, text: serializeForGuest(value, toolResultBytes) };
    } catch (error) {
      reply = encodeToolError(error, name);
    }
    if (this.#done || this.#stopReason !== undefined) return;
    if (reply === RESULT_TOO_LARGE) {
      this.#stopWith({
        code: 'TOOL_DATA_LIMIT',
        message: `The result of ${name} is larger than ${toolResultBytes} bytes.`,
        limit: toolResultBytes,
      });
    } else {
      this.#handle?.reply(callId, reply.ok, reply.text);
    }
  }

  #refuseArguments(tool: string, error: unknown): void {
    if (!(error instanceof WorkLimitError)) {
      this.#breach(`The arguments of ${tool} cannot be read: ${String(error)}`);
      return;
    }
    const { limit, used } = error;
    const message = `The arguments of ${tool} take more than ${limit} ms to read.`;
    this.#stopWith({ code: 'TOOL_DATA_LIMIT', message, limit, used });
  }

  readonly #pauseWallClock: PauseWallClock = (wait) =>
    this.#wallClock === undefined ? wait() : this.#wallClock.pauseDuring(wait);

  readonly #onAbort = (): void => this.#stopWith(this.#aborted());

  #aborted(): StopReason {
    return {
      code: 'ABORTED',
      message: 'The run was aborted.',
      cause: this.#spec.signal?.reason,
    };
  }

  /** Ends the run: first asks the slot to stop it, then kills it if that takes too long. */
  #stopWith(reason: StopReason): void {
    if (this.#done || this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    if (this.#reading !== undefined) {
      // The slot has finished; only the result is still being decoded.
      this.#settleStopped(undefined);
      return;
    }
    if (debugLog.enabled) debugLog('run %d: asked to stop, %s', this.#number, reason.code);
    this.#killTimer = setTimeout(() => {
      if (debugLog.enabled) debugLog('run %d: did not stop, killed', this.#number);
      this.#handle?.kill(reason.code === 'ABORTED' ? 'abort' : 'limit');
      this.#settleStopped(undefined);
    }, STOP_GRACE_MS);
    this.#handle?.stop();
  }

  /** The other side violated the protocol: kills the run at once. */
  #breach(message: string): void {
    if (this.#done) return;
    this.#stopReason ??= { code: 'PROTOCOL_ERROR', message };
    if (debugLog.enabled) {
      debugLog('run %d: violated the protocol, killed: %s', this.#number, inOneLine(message));
    }
    this.#handle?.kill('breach');
    this.#settleStopped(undefined);
  }

  #settleStopped(outcome: SlotOutcome | undefined): void {
    if (this.#stopReason === undefined) return;
    const ran = this.#startedAt === undefined ? 'no' : 'yes';
    this.#settleError({ ...this.#stopReason, ran }, outcome);
  }

  #settleOutcome(outcome: SlotOutcome): void {
    const { limits, job } = this.#spec;
    this.#settleRead(readOutcome(outcome, limits, job.filename, this.#wallMs()), outcome);
  }

  #settleRead(read: ReadOutcome, outcome: SlotOutcome): void {
    if ('breach' in read) this.#breach(read.breach);
    else if ('error' in read) this.#settleError(read.error, outcome);
    else if ('value' in read.reading) this.#settleValue(read.reading.value, outcome);
    else {
      this.#reading = read.reading;
      read.reading.done.then(
        (value) => this.#settleValue(value, outcome),
        (error: unknown) => this.#settleRead(unreadable(error), outcome),
      );
    }
  }

  #settleValue(value: unknown, outcome: SlotOutcome): void {
    const usage = this.#usage(outcome, Buffer.byteLength(outcome.text));
    this.#settle({ ok: true, value, logs: this.#logs, usage });
  }

  #settleError(error: RunError, outcome?: SlotOutcome): void {
    const { code, ran } = error;
    // Running the code again is safe only if it has not run.
    const retryable = OUTCOME_CODES[code].retryable && ran === 'no';
    this.#settle({
      ok: false,
      error: { name: code, ...error, retryable },
      logs: this.#logs,
      usage: this.#usage(outcome, 0),
    });
  }

  #settle(outcome: Outcome): void {
    if (this.#done) return;
    this.#done = true;
    this.#reading?.cancel();
    this.#wallClock?.stop();
    clearTimeout(this.#killTimer);
    this.#spec.signal?.removeEventListener('abort', this.#onAbort);
    this.#toolAbort?.abort(new DOMException('The run has ended.', 'AbortError'));
    if (debugLog.enabled) this.#logEnd(outcome);
    this.#settled.resolve(outcome);
  }

  #logEnd({ usage, ...outcome }: Outcome): void {
    const { wallMs, cpuMs, queueMs, toolCalls } = usage;
    const end = outcome.ok ? 'a value' : `${outcome.error.code}, ran: ${outcome.error.ran}`;
    const times = `wall ${ms(wallMs)}, cpu ${ms(cpuMs)}, queue ${ms(queueMs)}`;
    debugLog('run %d: ended with %s; %s, tool calls: %d', this.#number, end, times, toolCalls);
  }

  #wallMs(): number {
    return this.#heldMs + (this.#wallClock?.elapsedMs ?? 0);
  }

  #usage(outcome: SlotOutcome | undefined, resultBytes: number): Usage {
    const started = this.#startedAt ?? performance.now();
    return {
      wallMs: this.#wallMs(),
      cpuMs: outcome?.cpuMs ?? 0,
      queueMs: started - this.#submittedAt,
      heapBytes: outcome?.heapBytes ?? 0,
      toolCalls: this.#calls.size,
      resultBytes,
      logBytes: this.#logBytes,
      hostId: this.#hostId,
    };
  }
}
