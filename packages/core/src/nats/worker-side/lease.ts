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
import { Outgoing } from './lease-events.ts';
import type { EndEvent, OutgoingOptions } from './lease-events.ts';
import { capJob, explainCap, wallCap } from './worker-caps.ts';

/** Between asking a slot to stop and killing what does not. */
const STOP_GRACE_MS = 100;
const MAX_MESSAGE = 1000;

/** How a run ended, in its slot's words or by a code. */
export type LeaseEnd = SlotOutcome['end'] | OutcomeCode;

/** What a lease needs of its worker. */
export interface LeaseOptions extends OutgoingOptions {
  readonly number: number;
  readonly token: string;
  /** How often the job was delivered. */
  readonly attempt: number;
  readonly caps: Limits;
  /** How often to say that it is still at it, and to hear whether it is still wanted. */
  readonly aliveMs: number;
  /** Called once, when the slot is free. */
  readonly onFree: (end: LeaseEnd) => void;
  /** Called as often, to keep the job from being given to somebody else. */
  readonly renew: () => void;
}

/**
 * One job that this worker has taken: passes on what its run says, and what its executor answers.
 * The executor is a stranger: it must have the job's token, and cannot exceed the owner's limits.
 */
export class Lease implements JobObserver {
  readonly token: string;
  readonly startedAt: number = performance.now();
  readonly #options: LeaseOptions;
  readonly #outgoing: Outgoing;
  readonly #aliveTimer: NodeJS.Timeout;
  #wallTimer: NodeJS.Timeout | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #handle: JobHandle | undefined;
  #asked: Job['limits'] | undefined;
  #job: Job | undefined;
  #replies = 0;
  #isOver = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#outgoing = new Outgoing(options, (cause) => this.#cannotSend(cause));
    this.token = options.token;
    this.#aliveTimer = setInterval(() => this.#stayAlive(), options.aliveMs);
    void this.told().then(() => clearInterval(this.#aliveTimer));
  }

  /** Runs the job. */
  run(job: Job, submit: (job: Job, observer: JobObserver) => JobHandle): void {
    const { caps } = this.#options;
    const capped = capJob(job, caps);
    if ('type' in capped) {
      this.refuse(capped);
      return;
    }
    this.#asked = job.limits;
    this.#job = capped;
    this.#wallTimer = setTimeout(() => this.#endBy(wallCap(caps.wallMs)), caps.wallMs);
    try {
      this.#handle = submit(capped, this);
    } catch (cause) {
      // Somebody wants two runs at once of a session.
      const message = 'The worker has no slot for the run.';
      this.refuse({ type: 'failure', code: 'HOST_LOST', message, ran: 'no', cause });
    }
  }

  /** Ends it without running anything. */
  refuse(failure: PoolFailure): void {
    // Whoever hears an end must have heard a start.
    this.onStart('');
    this.onEnd(failure);
  }

  /** Resolves once the executor has heard of the end, or is gone. */
  told(): Promise<void> {
    return this.#outgoing.told();
  }

  /** The executor has heard of the end, or nobody is there to hear of it. */
  heard(): void {
    if (this.#isOver) this.#outgoing.heard();
  }

  /** Whatever it is at, and whoever hears of it: the worker ends. */
  abandon(): void {
    this.#outgoing.heard();
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
    this.#outgoing.begin({ type: 'start', run, attempt, host });
  }

  onLog(level: string, text: string): void {
    this.#outgoing.say({ type: 'log', run: this.#options.number, level }, text);
  }

  onCall(callId: number, tool: string, text: string): void {
    this.#outgoing.say({ type: 'call', run: this.#options.number, callId, tool }, text);
  }

  onEnd(end: PoolEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#wallTimer);
    clearTimeout(this.#killTimer);
    const known =
      end.type === 'outcome' && this.#asked !== undefined && this.#job !== undefined
        ? (explainCap(end.outcome, this.#asked, this.#job) ?? end)
        : end;
    if (known.type === 'outcome') {
      const { text, ...outcome } = known.outcome;
      this.#sendLast({ type: 'end', run: this.#options.number, ...outcome }, text);
    } else {
      const { cause, message, ...failure } = known;
      const body = cause instanceof Error ? cause.message.slice(0, MAX_MESSAGE) : '';
      this.#sendLast(
        { ...failure, run: this.#options.number, message: message.slice(0, MAX_MESSAGE) },
        body,
      );
    }
    this.#options.onFree(end.type === 'outcome' ? end.outcome.end : end.code);
  }

  /** Ends the run for a reason of this side: asks first, and kills what does not answer in time. */
  #endBy(end: PoolEnd): void {
    const handle = this.#handle;
    if (this.#isOver || handle === undefined) return;
    handle.stop();
    this.#killTimer = setTimeout(() => {
      handle.kill('limit');
      this.onEnd(end);
    }, STOP_GRACE_MS);
  }

  #sendLast(event: EndEvent, body: string): void {
    this.#outgoing.end(event, body, (cause) => this.#failure(cause));
  }

  #failure(cause: unknown): EndEvent {
    const why = messageOf(cause);
    const message = `The worker could not send what the run said: ${why}`.slice(0, MAX_MESSAGE);
    return { type: 'failure', run: this.#options.number, code: 'HOST_LOST', message, ran: 'yes' };
  }

  #cannotSend(cause: unknown): void {
    if (this.#isOver) return;
    this.#handle?.kill('abort');
    this.onEnd({
      type: 'failure',
      code: 'HOST_LOST',
      message: 'The worker could not send what the run said.',
      ran: 'yes',
      cause,
    });
  }

  #stayAlive(): void {
    this.#options.renew();
    if (this.#isOver) return;
    const alive = {
      type: 'alive',
      run: this.#options.number,
      replies: this.#replies,
    } as const;
    this.#outgoing.ask(alive, this.#options.aliveMs).catch((error: unknown) => {
      // The executor is gone: nobody wants the result.
      if (error instanceof RequestError && error.isNoResponders()) this.kill('abort');
    });
  }
}
