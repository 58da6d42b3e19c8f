import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { JobHandle, JobObserver, PoolEnd } from '../pools/worker-pool.ts';
import { debugLog, inOneLine, ms } from '../shared/debug-log.ts';
import { OUTCOME_CODES } from '../shared/errors.ts';
import { deserializeFromGuest } from './from-guest.ts';
import type { LogEntry, LogLevel, Outcome, Usage } from './outcome.ts';
import { readOutcome, wallLimit } from './read-outcome.ts';
import type { RunError } from './read-outcome.ts';
import { callTool } from './run-tools.ts';
import type { ToolDefinition, ToolFunction } from './run-tools.ts';
import { serializeForGuest } from './to-guest.ts';
import { encodeToolError, TOOL_LIMIT } from './tool-replies.ts';
import { WallClock } from './wall-clock.ts';
import type { PauseWallClock } from './wall-clock.ts';

/** Between asking a slot to stop and killing what does not. */
const STOP_GRACE_MS = 100;
/** What a line of log costs besides its text, as in the guest. */
const LINE_OVERHEAD = 16;
/** The guest's own mark that its log was cut may go over the limit by this much. */
const LOG_SLACK = 1024;
/** An honest slot sends no more than this over the limit: its own lines about the run. */
const LOG_BREACH = 256 * 1024;

/** Runs are numbered for the debug log alone. */
let numbered = 0;

const LEVELS: ReadonlySet<string> = new Set<LogLevel>(['debug', 'info', 'warn', 'error']);

export interface RunSpec {
  readonly job: Job;
  readonly limits: Limits;
  readonly tools: ReadonlyMap<string, ToolFunction | ToolDefinition>;
  readonly signal: AbortSignal | undefined;
  readonly onLog: ((entry: LogEntry) => void) | undefined;
}

/** Why a run is being ended from this side. */
type Stop = Omit<RunError, 'ran'>;

/**
 * One run on the trusted side: keeps its clocks, calls the tools, counts what it uses, and settles
 * exactly once. What comes from the pool is taken as a guest's word.
 */
export class Run implements JobObserver {
  readonly #spec: RunSpec;
  readonly #enter: <Result>(call: () => Result) => Result;
  readonly #number = debugLog.enabled ? ++numbered : 0;
  readonly #settled = Promise.withResolvers<Outcome>();
  readonly #submittedAt = performance.now();
  readonly #logs: LogEntry[] = [];
  readonly #calls = new Set<number>();
  #handle: JobHandle | undefined;
  #startedAt: number | undefined;
  /** How long the run had been under way when its pool said so. */
  #heldMs = 0;
  #wallClock: WallClock | undefined;
  #hostId = '';
  #toolAbort: AbortController | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #stop: Stop | undefined;
  #done = false;
  #logBytes = 0;
  /** All that was sent as log, taken or not. */
  #logBytesHeard = 0;

  /** @param enter Calls a tool, in whatever surroundings tools of this run are called. */
  constructor(spec: RunSpec, enter: <Result>(call: () => Result) => Result) {
    this.#spec = spec;
    this.#enter = enter;
  }

  /** Gives the job to a pool or session. Never rejects. */
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

  /** Settles the run without giving it to anybody. */
  refuse(error: RunError): Promise<Outcome> {
    this.#settleError(error);
    return this.#settled.promise;
  }

  /** Ends the run from this side, with a reason. */
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
    // A second attempt, after a host was lost, has what time the first one has left.
    if (this.#startedAt !== undefined) return;
    const now = performance.now();
    // The pool's word decides what is told of the run, and not how long the run may take.
    this.#startedAt = Math.max(now - heldMs, this.#submittedAt);
    this.#heldMs = now - this.#startedAt;
    this.#wallClock = new WallClock(limits.wallMs, () => {
      this.#stopWith(wallLimit(limits, this.#wallMs()));
    });
  }

  onLog(level: string, text: string): void {
    if (this.#done || this.#stop !== undefined) return;
    const cost = text.length + LINE_OVERHEAD;
    const { logBytes } = this.#spec.limits;
    this.#logBytesHeard += cost;
    if (this.#logBytesHeard > logBytes + LOG_BREACH) {
      this.#breach('It logged far more than its limit.');
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
      // A fault of the caller's callback is the caller's: it must not end up in the pool.
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  onCall(callId: number, name: string, text: string): void {
    if (this.#done || this.#stop !== undefined) return;
    const { toolCalls } = this.#spec.limits;
    const tool = this.#spec.tools.get(name);
    if (tool === undefined || this.#calls.has(callId)) {
      this.#breach(`It called ${JSON.stringify(name)} against the rules.`);
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
    if (this.#stop !== undefined) {
      // It was told to stop; how it says that it did decides nothing.
      this.#settleStopped(end.type === 'outcome' ? end.outcome : undefined);
    } else if (end.type === 'failure') {
      const { type: _type, ...failure } = end;
      this.#settleError(failure);
    } else {
      this.#settleOutcome(end.outcome);
    }
  }

  /** Calls a tool and sends its answer. Never rejects. */
  async #call(
    callId: number,
    name: string,
    tool: ToolFunction | ToolDefinition,
    text: string,
  ): Promise<void> {
    const { toolArgBytes, toolResultBytes } = this.#spec.limits;
    let input: unknown;
    try {
      input = deserializeFromGuest(text, toolArgBytes);
    } catch (error) {
      this.#breach(`The arguments of ${name} cannot be read: ${String(error)}`);
      return;
    }
    this.#toolAbort ??= new AbortController();
    const { signal } = this.#toolAbort;
    let reply: { ok: boolean; text: string } | typeof TOOL_LIMIT;
    try {
      const context = { signal, tool: name, callId, pauseWallClock: this.#pauseWallClock };
      const value = await this.#enter(() => callTool(tool, input, context));
      reply = { ok: true, text: serializeForGuest(value, toolResultBytes) };
    } catch (error) {
      reply = encodeToolError(error, name);
    }
    if (this.#done || this.#stop !== undefined) return;
    if (reply === TOOL_LIMIT) {
      this.#stopWith({
        code: 'TOOL_DATA_LIMIT',
        message: `The result of ${name} is larger than ${toolResultBytes} bytes.`,
        limit: toolResultBytes,
      });
    } else {
      this.#handle?.reply(callId, reply.ok, reply.text);
    }
  }

  readonly #pauseWallClock: PauseWallClock = (wait) =>
    this.#wallClock === undefined ? wait() : this.#wallClock.pauseDuring(wait);

  readonly #onAbort = (): void => this.#stopWith(this.#aborted());

  #aborted(): Stop {
    return {
      code: 'ABORTED',
      message: 'The run was aborted.',
      cause: this.#spec.signal?.reason,
    };
  }

  /** Ends the run: asks the slot first, and kills what does not answer in time. */
  #stopWith(stop: Stop): void {
    if (this.#done || this.#stop !== undefined) return;
    this.#stop = stop;
    if (debugLog.enabled) debugLog('run %d: is asked to stop, %s', this.#number, stop.code);
    this.#killTimer = setTimeout(() => {
      if (debugLog.enabled) debugLog('run %d: did not stop, and is killed', this.#number);
      this.#handle?.kill(stop.code === 'ABORTED' ? 'abort' : 'limit');
      this.#settleStopped(undefined);
    }, STOP_GRACE_MS);
    this.#handle?.stop();
  }

  /** The other side sent what an honest one cannot: it is killed, not asked. */
  #breach(message: string): void {
    if (this.#done) return;
    this.#stop ??= { code: 'PROTOCOL_ERROR', message };
    if (debugLog.enabled) {
      debugLog('run %d: broke the protocol, and is killed: %s', this.#number, inOneLine(message));
    }
    this.#handle?.kill('breach');
    this.#settleStopped(undefined);
  }

  #settleStopped(outcome: SlotOutcome | undefined): void {
    if (this.#stop === undefined) return;
    const ran = this.#startedAt === undefined ? 'no' : 'yes';
    this.#settleError({ ...this.#stop, ran }, outcome);
  }

  #settleOutcome(outcome: SlotOutcome): void {
    const { limits, job } = this.#spec;
    const read = readOutcome(outcome, limits, job.filename, this.#wallMs());
    if ('breach' in read) this.#breach(read.breach);
    else if ('error' in read) this.#settleError(read.error, outcome);
    else {
      const usage = this.#usage(outcome, outcome.text.length);
      this.#settle({ ok: true, value: read.value, logs: this.#logs, usage });
    }
  }

  #settleError(error: RunError, outcome?: SlotOutcome): void {
    const { code, ran } = error;
    // Another try is safe only where the code has not run.
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
