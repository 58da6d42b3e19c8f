import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';
import { RequestError } from '@nats-io/nats-core';

import type {
  JobHandle,
  JobObserver,
  KillReason,
  PoolEnd,
  PoolFailure,
} from '../../pools/worker-pool.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { messageOf } from '../../shared/message-of.ts';
import { LeaseEvents } from './lease-events.ts';
import type { EndEvent, LeaseEventsOptions } from './lease-events.ts';
import { capJob, explainCap, wallCapFailure } from './worker-caps.ts';

/** How long a run may take to stop before it is killed. */
const STOP_GRACE_MS = 100;
/** The longest error message that is sent, in characters. */
const MAX_MESSAGE = 1000;

/** How a run ended: an outcome of its slot, or an error code. */
export type LeaseEnd = SlotOutcome['end'] | OutcomeCode;

export interface LeaseOptions extends LeaseEventsOptions {
  readonly number: number;
  readonly token: string;
  /** How often the job has been delivered, this delivery included. */
  readonly attempt: number;
  /** The highest limits that the worker allows. */
  readonly caps: Limits;
  /** The interval between heartbeats to the executor, in milliseconds. */
  readonly heartbeatMs: number;
  /** Called once, when the slot is free. */
  readonly onFree: (end: LeaseEnd) => void;
  /** Called with every heartbeat. Renews the lease, so that no other worker gets the job. */
  readonly renew: () => void;
}

/**
 * One job that this worker has taken: forwards the events of the run to the executor, and the commands
 * of the executor to the run. The worker does not trust the executor: a command must contain the job's
 * token, and the limits of the job cannot exceed those of the worker.
 */
export class Lease implements JobObserver {
  readonly token: string;
  readonly startedAt: number = performance.now();
  readonly #options: LeaseOptions;
  readonly #events: LeaseEvents;
  readonly #heartbeatTimer: NodeJS.Timeout;
  #wallTimer: NodeJS.Timeout | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #handle: JobHandle | undefined;
  #requestedLimits: Job['limits'] | undefined;
  #job: Job | undefined;
  #replies = 0;
  #isOver = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#events = new LeaseEvents(options, (cause) => this.#onSendError(cause));
    this.token = options.token;
    this.#heartbeatTimer = setInterval(() => this.#sendHeartbeat(), options.heartbeatMs);
    void this.confirmed().then(() => clearInterval(this.#heartbeatTimer));
  }

  /** Runs the job. */
  run(job: Job, submit: (job: Job, observer: JobObserver) => JobHandle): void {
    const { caps } = this.#options;
    const capped = capJob(job, caps);
    if ('type' in capped) {
      this.refuse(capped);
      return;
    }
    this.#requestedLimits = job.limits;
    this.#job = capped;
    this.#wallTimer = setTimeout(() => this.#stopOrKill(wallCapFailure(caps.wallMs)), caps.wallMs);
    try {
      this.#handle = submit(capped, this);
    } catch (cause) {
      // The executor has submitted two runs at the same time to one session.
      const message = 'The worker has no slot for the run.';
      this.refuse({ type: 'failure', code: 'HOST_LOST', message, ran: 'no', cause });
    }
  }

  /** Ends the job without running it. */
  refuse(failure: PoolFailure): void {
    // The executor accepts an end event only after a start event.
    this.onStart('');
    this.onEnd(failure);
  }

  /** Resolves when the executor has confirmed the end event, or cannot confirm it any more. */
  confirmed(): Promise<void> {
    return this.#events.confirmed();
  }

  /** The executor has received the end event, or no longer exists. */
  confirm(): void {
    if (this.#isOver) this.#events.confirm();
  }

  /** Stops heartbeats and re-sends, whether the job is over or not: the worker ends. */
  close(): void {
    this.#events.confirm();
  }

  reply(callId: number, ok: boolean, text: string): void {
    this.#replies++;
    if (!this.#isOver) this.#handle?.reply(callId, ok, text);
  }

  stop(): void {
    if (!this.#isOver) this.#handle?.stop();
  }

  kill(why: KillReason): void {
    if (!this.#isOver) this.#handle?.kill(why);
  }

  onStart(host: string): void {
    const { attempt, number: run } = this.#options;
    this.#events.start({ type: 'start', run, attempt, host });
  }

  onLog(level: string, text: string): void {
    this.#events.send({ type: 'log', run: this.#options.number, level }, text);
  }

  onCall(callId: number, tool: string, text: string): void {
    this.#events.send({ type: 'call', run: this.#options.number, callId, tool }, text);
  }

  onEnd(end: PoolEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#wallTimer);
    clearTimeout(this.#killTimer);
    const explained =
      end.type === 'outcome' && this.#requestedLimits !== undefined && this.#job !== undefined
        ? (explainCap(end.outcome, this.#requestedLimits, this.#job) ?? end)
        : end;
    if (explained.type === 'outcome') {
      const { text, ...outcome } = explained.outcome;
      this.#sendEnd({ type: 'end', run: this.#options.number, ...outcome }, text);
    } else {
      const { cause, message, ...failure } = explained;
      const body = cause instanceof Error ? cause.message.slice(0, MAX_MESSAGE) : '';
      this.#sendEnd(
        { ...failure, run: this.#options.number, message: message.slice(0, MAX_MESSAGE) },
        body,
      );
    }
    this.#options.onFree(end.type === 'outcome' ? end.outcome.end : end.code);
  }

  /** Ends the run with a failure: asks it to stop, and kills it if it does not stop in time. */
  #stopOrKill(failure: PoolFailure): void {
    const handle = this.#handle;
    if (this.#isOver || handle === undefined) return;
    handle.stop();
    this.#killTimer = setTimeout(() => {
      handle.kill('limit');
      this.onEnd(failure);
    }, STOP_GRACE_MS);
  }

  #sendEnd(event: EndEvent, body: string): void {
    this.#events.end(event, body, (cause) => this.#sendFailure(cause));
  }

  #sendFailure(cause: unknown): EndEvent {
    const why = messageOf(cause);
    const message = `The worker could not send the result of the run: ${why}`.slice(0, MAX_MESSAGE);
    return { type: 'failure', run: this.#options.number, code: 'HOST_LOST', message, ran: 'yes' };
  }

  #onSendError(cause: unknown): void {
    if (this.#isOver) return;
    this.#handle?.kill('abort');
    this.onEnd({
      type: 'failure',
      code: 'HOST_LOST',
      message: 'The worker could not send the events of the run.',
      ran: 'yes',
      cause,
    });
  }

  #sendHeartbeat(): void {
    this.#options.renew();
    if (this.#isOver) return;
    const alive = {
      type: 'alive',
      run: this.#options.number,
      replies: this.#replies,
    } as const;
    this.#events.requestAlive(alive, this.#options.heartbeatMs).catch((error: unknown) => {
      // The executor no longer exists: nobody needs the result.
      if (error instanceof RequestError && error.isNoResponders()) this.kill('abort');
    });
  }
}
