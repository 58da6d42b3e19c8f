import type { Frame } from '@glovebox/protocol/frame';
import { maxEventBytes } from '@glovebox/protocol/frame-limits';
import type { Job } from '@glovebox/protocol/job';

import type {
  JobHandle,
  JobObserver,
  KillReason,
  PoolEnd,
  PoolFailure,
} from '../../pools/worker-pool.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { eventSchema } from '../wire/nats-messages.ts';
import type { Command, LeaseEvent } from '../wire/nats-messages.ts';
import { readFrames } from '../wire/payloads.ts';
import { SerialQueue } from '../wire/serial-queue.ts';
import { randomName } from '../wire/subjects.ts';
import type { EventOrigin } from '../wire/subjects.ts';

/** How often a job may start, or lose its start event, before it fails. */
const MAX_ATTEMPTS = 3;
const MESSAGES_LOST = 'Messages between the worker and the executor were lost during the run.';

/** A command about one lease. */
export type LeaseCommand = Extract<Command, { readonly type: 'reply' | 'stop' | 'kill' }>;

/** The part of the executor's link that a job uses. */
export interface RemoteJobLink {
  readonly rerun: 'if-no-effect' | 'always';
  /** Returns the frame, or the stored frame that it refers to. */
  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame>;
  /** Confirms to the worker that the end event of a lease has arrived. */
  confirmEnd(origin: EventOrigin): void;
  command(worker: string, command: LeaseCommand, body?: string): void;
  /** Puts the job into the stream once more, for any worker. */
  resubmit(job: RemoteJob): void;
  /** Reports to all workers that a worker was lost while it ran this code. */
  reportKill(worker: string, code: string): void;
  /** Removes a job that is over. `hasOutcome`: its worker reported an outcome. */
  remove(job: RemoteJob, hasOutcome: boolean): void;
}

/** A lease as the executor sees it: one delivery of the job to a worker. */
interface RemoteLease {
  readonly worker: string;
  readonly number: number;
  readonly attempt: number;
  /** The sequence number of the next event. */
  sequence: number;
  /** How many tool results were sent to the worker. */
  repliesSent: number;
  /** The value of `repliesSent` at the last heartbeat. */
  repliesAtHeartbeat: number;
}

/**
 * A job for a worker on another machine, as the executor sees it. The job may be delivered to several
 * workers, one after the other: only the events of the newest lease count.
 */
export class RemoteJob implements JobHandle {
  readonly token: string = randomName();
  readonly job: Job;
  readonly #observer: JobObserver;
  readonly #link: RemoteJobLink;
  readonly #isInSession: boolean;
  readonly #frames = new SerialQueue();
  /** The calls of all leases. The observer's call ID is the index here, plus 1. */
  readonly #calls: { readonly lease: RemoteLease; readonly callId: number }[] = [];
  #lease: RemoteLease | undefined;
  /** Leases whose start event was lost. */
  readonly #leasesWithoutStart = new Set<string>();
  #hadEffect = false;
  #isOver = false;
  /** The worker of the lease is lost, and the stream will deliver the job to another worker. */
  #awaitsNextWorker = false;

  /** @param isInSession The job can only run at the worker of its session. */
  constructor(job: Job, observer: JobObserver, link: RemoteJobLink, isInSession: boolean) {
    this.job = job;
    this.#observer = observer;
    this.#link = link;
    this.#isInSession = isInSession;
  }

  /** No worker has started the job. */
  get isWaiting(): boolean {
    return this.#lease === undefined && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  reply(callId: number, ok: boolean, text: string): void {
    const call = this.#calls[callId - 1];
    if (call === undefined || call.lease !== this.#lease) return;
    call.lease.repliesSent++;
    const { number, worker } = call.lease;
    const { token } = this;
    this.#link.command(
      worker,
      { type: 'reply', lease: number, token, callId: call.callId, ok },
      text,
    );
  }

  stop(): void {
    if (this.#lease === undefined || this.#awaitsNextWorker) {
      this.fail('ABORTED', 'The run was stopped before it started.', 'no');
    } else this.#command(this.#lease, { type: 'stop' });
  }

  kill(why: KillReason): void {
    if (this.#isOver) return;
    if (this.#lease !== undefined) this.#command(this.#lease, { type: 'kill', why });
    this.#finish({ type: 'failure', code: 'ABORTED', message: 'The run was killed.', ran: 'yes' });
  }

  /** Ends the job with a failure from the executor's side. */
  fail(
    code: OutcomeCode,
    message: string,
    ran: PoolFailure['ran'],
    more: Partial<Pick<PoolFailure, 'limit' | 'used' | 'cause'>> = {},
  ): void {
    this.#finish({ type: 'failure', code, message, ran, ...more });
  }

  /**
   * A worker is lost.
   *
   * @param hasOtherWorker Another worker can take the job.
   */
  onWorkerLost(worker: string, hasOtherWorker: boolean): void {
    if (this.#lease?.worker !== worker || this.#awaitsNextWorker) return;
    this.#link.reportKill(worker, this.job.code);
    if (this.#mayRerun(this.#lease.attempt) && hasOtherWorker) this.#awaitsNextWorker = true;
    else this.fail('HOST_LOST', `The worker ${worker} was lost during the run.`, 'maybe');
  }

  /**
   * Handles a message with events of the job.
   *
   * @param respond Responds to a heartbeat: the result is still wanted.
   */
  receive(origin: EventOrigin, message: Uint8Array, respond: () => void): void {
    const maxBytes = maxEventBytes(this.job.limits);
    const add = (step: () => Promise<void> | undefined): void =>
      this.#frames.add(step, (cause) => this.#onProtocolError(origin, cause));
    let frames: readonly Frame[];
    try {
      frames = readFrames(message, maxBytes);
    } catch (error) {
      add(() => {
        throw error;
      });
      return;
    }
    for (const frame of frames) {
      add(() => {
        const fetched = this.#link.fetch(frame, maxBytes);
        if (!(fetched instanceof Promise)) return this.#onFrame(origin, fetched, respond);
        return fetched.then((stored) => this.#onFrame(origin, stored, respond));
      });
    }
  }

  #onFrame(origin: EventOrigin, { header, body }: Frame, respond: () => void): undefined {
    const { sequence, event } = eventSchema.parse(header);
    if (event.run !== origin.lease) {
      throw new Error('The lease in the event differs from the lease in its subject.');
    }
    const isEnd = event.type === 'end' || event.type === 'failure';
    if (isEnd) this.#link.confirmEnd(origin);
    if (this.#isOver) return;
    if (event.type === 'start') this.#onStart(origin, event);
    const lease = this.#lease;
    if (lease === undefined || !this.#isFrom(origin, lease)) {
      // The lease is an old one, or its start event was lost: its events are ignored.
      if (!isEnd) this.#killLease(origin);
      if (lease === undefined) this.#resubmit(origin);
      return;
    }
    if (
      sequence !== lease.sequence ||
      (event.type === 'alive' && event.replies < lease.repliesAtHeartbeat)
    ) {
      this.#killLease(origin);
      this.fail('HOST_LOST', MESSAGES_LOST, 'maybe');
      return;
    }
    lease.sequence++;
    switch (event.type) {
      case 'start':
        this.#observer.onStart(`${origin.worker}/${event.host}`, event.heldMs);
        return;
      case 'alive':
        lease.repliesAtHeartbeat = lease.repliesSent;
        respond();
        return;
      case 'log':
        this.#hadEffect = true;
        this.#observer.onLog(event.level, body);
        return;
      case 'call':
        this.#hadEffect = true;
        // A job that runs again counts its calls from 1 again; the observer's call IDs continue.
        this.#observer.onCall(this.#calls.push({ lease, callId: event.callId }), event.tool, body);
        return;
      case 'failure': {
        const { run: _run, type, code, message, ran, limit, used } = event;
        this.#finish({
          type,
          code,
          message,
          ran,
          ...(limit === undefined ? {} : { limit }),
          ...(used === undefined ? {} : { used }),
          ...(body === '' ? {} : { cause: new Error(body) }),
        });
        return;
      }
      case 'end': {
        const { run: _run, type: _type, ...outcome } = event;
        this.#finish({ type: 'outcome', outcome: { ...outcome, text: body } });
      }
    }
  }

  #onStart(origin: EventOrigin, { attempt }: LeaseEvent & { readonly type: 'start' }): void {
    const previous = this.#lease;
    if (previous !== undefined) {
      // One lease starts twice if the worker lost a host and gave the job to another host.
      if (this.#isFrom(origin, previous) || attempt <= previous.attempt) return;
      this.#killLease({ ...origin, worker: previous.worker, lease: previous.number });
      if (!this.#mayRerun(previous.attempt)) {
        this.#killLease(origin);
        const message = `The worker ${previous.worker} lost the run, and it is not safe to run it again.`;
        this.fail('HOST_LOST', message, 'maybe');
        return;
      }
    }
    this.#awaitsNextWorker = false;
    this.#lease = {
      worker: origin.worker,
      number: origin.lease,
      attempt,
      sequence: 0,
      repliesSent: 0,
      repliesAtHeartbeat: 0,
    };
  }

  /** Submits the job again. The lease had no effect: without a start event, no event counts. */
  #resubmit({ worker, lease }: EventOrigin): void {
    const name = `${worker}.${lease}`;
    if (this.#leasesWithoutStart.has(name)) return;
    this.#leasesWithoutStart.add(name);
    if (this.#isInSession || this.#leasesWithoutStart.size >= MAX_ATTEMPTS) {
      this.fail('HOST_LOST', MESSAGES_LOST, 'maybe');
    } else this.#link.resubmit(this);
  }

  #isFrom(origin: EventOrigin, lease: RemoteLease): boolean {
    return lease.worker === origin.worker && lease.number === origin.lease;
  }

  #mayRerun(attempt: number): boolean {
    if (this.#isInSession || attempt >= MAX_ATTEMPTS) return false;
    return !this.#hadEffect || this.#link.rerun === 'always';
  }

  /** Ends a lease whose events no longer count. */
  #killLease({ worker, lease }: EventOrigin): void {
    this.#command({ worker, number: lease }, { type: 'kill', why: 'abort' });
  }

  #command(
    { worker, number }: Pick<RemoteLease, 'worker' | 'number'>,
    command: { readonly type: 'stop' } | { readonly type: 'kill'; readonly why: KillReason },
  ): void {
    this.#link.command(worker, { ...command, lease: number, token: this.token });
  }

  #onProtocolError(origin: EventOrigin, cause: unknown): void {
    this.#command({ ...origin, number: origin.lease }, { type: 'kill', why: 'breach' });
    // The worker of an old lease must not end the job for the worker of the current one.
    if (this.#lease !== undefined && !this.#isFrom(origin, this.#lease)) return;
    this.fail('PROTOCOL_ERROR', 'The worker sent an invalid message.', 'maybe', { cause });
  }

  #finish(end: PoolEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#link.remove(this, end.type === 'outcome');
    this.#observer.onEnd(end);
  }
}
