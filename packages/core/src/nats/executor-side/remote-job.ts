import { HEADER_ALLOWANCE } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { Job } from '@glovebox/protocol/job';

import type {
  JobHandle,
  JobObserver,
  KillReason,
  PoolEnd,
  PoolFailure,
} from '../../pools/worker-pool.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { InOrder } from '../wire/in-order.ts';
import { eventSchema } from '../wire/nats-messages.ts';
import type { Command, LeaseEvent } from '../wire/nats-messages.ts';
import { readFrames } from '../wire/payloads.ts';
import { unguessable } from '../wire/subjects.ts';
import type { EventSource } from '../wire/subjects.ts';

/** How often a job may be started before it is given up. */
const MAX_ATTEMPTS = 3;

/** A command about one lease. */
export type LeaseCommand = Extract<Command, { readonly type: 'reply' | 'stop' | 'kill' }>;

/** What a job needs of the connection. */
export interface RemoteJobLink {
  readonly rerun: 'if-no-effect' | 'always';
  /** A frame as it was before it was packed. */
  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame>;
  /** A worker's last word about a lease has arrived. */
  heard(source: EventSource): void;
  command(worker: string, command: LeaseCommand, body?: string): void;
  /** Gives the job to whoever takes it, once more. */
  resubmit(job: RemoteJob): void;
  /** A worker has died while it had this code. */
  reportKill(worker: string, code: string): void;
  /** The job is over; `wasDone` where its worker says so itself. */
  forget(job: RemoteJob, wasDone: boolean): void;
}

/** One delivery of the job to a worker. */
interface Lease {
  readonly worker: string;
  readonly number: number;
  readonly attempt: number;
  /** The number of the next event. */
  sequence: number;
  /** Answers that were sent, and how many had been when it last said that it is alive. */
  replies: number;
  repliesBefore: number;
}

/**
 * A job on its way to, or at, a worker somewhere else, as the executor sees it. Workers come and
 * go: only what the newest delivery says counts.
 */
export class RemoteJob implements JobHandle {
  readonly token: string = unguessable();
  readonly job: Job;
  readonly #observer: JobObserver;
  readonly #link: RemoteJobLink;
  readonly #isInSession: boolean;
  readonly #inOrder = new InOrder();
  /** Which call of which lease is behind a number that the observer knows. */
  readonly #calls: { readonly lease: Lease; readonly callId: number }[] = [];
  #lease: Lease | undefined;
  /** Leases that were not heard to begin. */
  readonly #unheard = new Set<string>();
  #hadEffect = false;
  #isOver = false;
  /** The worker of the lease is gone: another one will get the job. */
  #awaitsWorker = false;

  /** @param isInSession It can run nowhere but at its session's worker. */
  constructor(job: Job, observer: JobObserver, link: RemoteJobLink, isInSession: boolean) {
    this.job = job;
    this.#observer = observer;
    this.#link = link;
    this.#isInSession = isInSession;
  }

  /** Nobody has begun with it. */
  get isWaiting(): boolean {
    return this.#lease === undefined && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  reply(callId: number, ok: boolean, text: string): void {
    const call = this.#calls[callId - 1];
    if (call === undefined || call.lease !== this.#lease) return;
    call.lease.replies++;
    const { number, worker } = call.lease;
    const { token } = this;
    this.#link.command(
      worker,
      { type: 'reply', lease: number, token, callId: call.callId, ok },
      text,
    );
  }

  stop(): void {
    if (this.#lease === undefined || this.#awaitsWorker) {
      this.fail('ABORTED', 'The run was stopped before it began.', 'no');
    } else this.#command(this.#lease, { type: 'stop' });
  }

  kill(why: KillReason): void {
    if (this.#isOver) return;
    if (this.#lease !== undefined) this.#command(this.#lease, { type: 'kill', why });
    this.#finish({ type: 'failure', code: 'ABORTED', message: 'It was killed.', ran: 'yes' });
  }

  /** Ends it from this side. */
  fail(
    code: OutcomeCode,
    message: string,
    ran: PoolFailure['ran'],
    more: Partial<Pick<PoolFailure, 'limit' | 'used' | 'cause'>> = {},
  ): void {
    this.#finish({ type: 'failure', code, message, ran, ...more });
  }

  /** A worker has fallen silent. */
  workerLost(worker: string, isAnyoneLeft: boolean): void {
    if (this.#lease?.worker !== worker || this.#awaitsWorker) return;
    this.#link.reportKill(worker, this.job.code);
    if (this.#mayRerun(this.#lease.attempt) && isAnyoneLeft) this.#awaitsWorker = true;
    else this.fail('HOST_LOST', `The worker ${worker} of the run fell silent.`, 'maybe');
  }

  /**
   * Takes what a worker has sent about the job.
   *
   * @param confirm Answers the worker's question whether the job is still wanted.
   */
  receive(source: EventSource, message: Uint8Array, confirm: () => void): void {
    const { resultBytes, toolArgBytes, logBytes } = this.job.limits;
    const maxBytes = Math.max(resultBytes, toolArgBytes, logBytes) + HEADER_ALLOWANCE;
    const add = (step: () => Promise<void> | undefined): void =>
      this.#inOrder.add(step, (cause) => this.#breach(source, cause));
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
        const whole = this.#link.fetch(frame, maxBytes);
        if (!(whole instanceof Promise)) return this.#onFrame(source, whole, confirm);
        return whole.then((late) => this.#onFrame(source, late, confirm));
      });
    }
  }

  #onFrame(source: EventSource, { header, body }: Frame, confirm: () => void): undefined {
    const { sequence, event } = eventSchema.parse(header);
    if (event.run !== source.lease) throw new Error('The worker spoke of another lease.');
    if (event.type === 'end' || event.type === 'failure') this.#link.heard(source);
    if (this.#isOver) return;
    if (event.type === 'start') this.#onStart(source, event);
    const lease = this.#lease;
    if (lease === undefined || !this.#isFrom(source, lease)) {
      // An old attempt, or one that was not heard to begin: what it says is not heard any more.
      if (event.type !== 'end' && event.type !== 'failure') this.#dismiss(source);
      if (lease === undefined) this.#startOver(source);
      return;
    }
    if (
      sequence !== lease.sequence ||
      (event.type === 'alive' && event.replies < lease.repliesBefore)
    ) {
      this.#dismiss(source);
      this.fail('HOST_LOST', 'Messages of the run were lost on their way.', 'maybe');
      return;
    }
    lease.sequence++;
    switch (event.type) {
      case 'start':
        this.#observer.onStart(`${source.worker}/${event.host}`, event.heldMs);
        return;
      case 'alive':
        lease.repliesBefore = lease.replies;
        confirm();
        return;
      case 'log':
        this.#hadEffect = true;
        this.#observer.onLog(event.level, body);
        return;
      case 'call':
        this.#hadEffect = true;
        // A job that is run again counts its calls anew: the observer's numbers go on.
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

  #onStart(source: EventSource, { attempt }: LeaseEvent & { readonly type: 'start' }): void {
    const before = this.#lease;
    if (before !== undefined) {
      // Of the same lease where its host was lost, and the worker has given the job to another one.
      if (this.#isFrom(source, before) || attempt <= before.attempt) return;
      this.#dismiss({ ...source, worker: before.worker, lease: before.number });
      if (!this.#mayRerun(before.attempt)) {
        this.#dismiss(source);
        const message = `The worker ${before.worker} lost the run, and it could not be run again safely.`;
        this.fail('HOST_LOST', message, 'maybe');
        return;
      }
    }
    this.#awaitsWorker = false;
    this.#lease = {
      worker: source.worker,
      number: source.lease,
      attempt,
      sequence: 0,
      replies: 0,
      repliesBefore: 0,
    };
  }

  /** A worker had the job, but its first word was lost: nothing that it did had an effect. */
  #startOver({ worker, lease }: EventSource): void {
    const name = `${worker}.${lease}`;
    if (this.#unheard.has(name)) return;
    this.#unheard.add(name);
    if (this.#isInSession || this.#unheard.size >= MAX_ATTEMPTS) {
      this.fail('HOST_LOST', 'Messages of the run were lost on their way.', 'maybe');
    } else this.#link.resubmit(this);
  }

  #isFrom(source: EventSource, lease: Lease): boolean {
    return lease.worker === source.worker && lease.number === source.lease;
  }

  #mayRerun(attempt: number): boolean {
    if (this.#isInSession || attempt >= MAX_ATTEMPTS) return false;
    return !this.#hadEffect || this.#link.rerun === 'always';
  }

  /** Ends a lease whose word counts no more. */
  #dismiss({ worker, lease }: EventSource): void {
    this.#command({ worker, number: lease }, { type: 'kill', why: 'abort' });
  }

  #command(
    { worker, number }: Pick<Lease, 'worker' | 'number'>,
    command: { readonly type: 'stop' } | { readonly type: 'kill'; readonly why: KillReason },
  ): void {
    this.#link.command(worker, { ...command, lease: number, token: this.token });
  }

  #breach(source: EventSource, cause: unknown): void {
    this.#command({ ...source, number: source.lease }, { type: 'kill', why: 'breach' });
    // Whoever had the job before cannot end it for who has it now.
    if (this.#lease !== undefined && !this.#isFrom(source, this.#lease)) return;
    this.fail('PROTOCOL_ERROR', 'The worker sent what is no message.', 'maybe', { cause });
  }

  #finish(end: PoolEnd): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const wasDone = end.type === 'outcome';
    this.#link.forget(this, wasDone);
    this.#observer.onEnd(end);
  }
}
