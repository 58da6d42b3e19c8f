import { encodeFrame } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { Job } from '@glovebox/protocol/job';

import { RemoteJob } from '../../src/nats/executor-side/remote-job.ts';
import type { LeaseCommand, RemoteJobLink } from '../../src/nats/executor-side/remote-job.ts';
import type { NumberedEvent } from '../../src/nats/wire/nats-messages.ts';
import type { EventOrigin } from '../../src/nats/wire/subjects.ts';
import { jobNamed, Recorder } from './jobs.ts';

/** A link that records what a remote job does with it. */
class RecordingLink implements RemoteJobLink {
  readonly rerun: RemoteJobLink['rerun'];
  readonly commands: (LeaseCommand & { readonly worker: string; readonly body: string })[] = [];
  /** The leases whose end events were confirmed, as `worker/lease`. */
  readonly confirmedEnds: string[] = [];
  resubmissions = 0;
  readonly kills: { readonly worker: string; readonly code: string }[] = [];
  /** `hasOutcome` of each removal. */
  readonly removals: boolean[] = [];
  fetch: (frame: Frame) => Frame | Promise<Frame> = (frame) => frame;

  constructor(rerun: RemoteJobLink['rerun']) {
    this.rerun = rerun;
  }

  confirmEnd({ worker, lease }: EventOrigin): void {
    this.confirmedEnds.push(`${worker}/${lease}`);
  }

  command(worker: string, command: LeaseCommand, body = ''): void {
    this.commands.push({ worker, ...command, body });
  }

  resubmit(): void {
    this.resubmissions++;
  }

  reportKill(worker: string, code: string): void {
    this.kills.push({ worker, code });
  }

  remove(_job: RemoteJob, hasOutcome: boolean): void {
    this.removals.push(hasOutcome);
  }
}

type WithoutRun<Event> = Event extends unknown ? Omit<Event, 'run'> : never;

/** A lease as its worker reports it: it sends real frames, numbered as a worker numbers them. */
export class WorkerLease {
  readonly #job: RemoteJob;
  readonly origin: EventOrigin;
  #sequence = 0;
  /** How many heartbeats the executor has responded to. */
  responses = 0;

  constructor(job: RemoteJob, worker: string, lease: number) {
    this.#job = job;
    this.origin = { job: job.token, worker, lease };
  }

  start(attempt = 1, host = 'host-1', heldMs = 0): this {
    return this.say({ type: 'start', attempt, host, heldMs });
  }

  log(text = 'hello'): this {
    return this.say({ type: 'log', level: 'info' }, text);
  }

  call(callId: number, tool = 'pay', text = 'safe:[]'): this {
    return this.say({ type: 'call', callId, tool }, text);
  }

  alive(replies = 0): this {
    return this.say({ type: 'alive', replies });
  }

  end(text = 'safe:1'): this {
    return this.say({ type: 'end', end: 'value', cpuMs: 1, heapBytes: 1, condemned: false }, text);
  }

  fail(numbers: { readonly limit?: number; readonly used?: number } = {}, cause = ''): this {
    const message = 'No slot got free.';
    return this.say(
      { type: 'failure', code: 'QUEUE_TIMEOUT', message, ran: 'no', ...numbers },
      cause,
    );
  }

  say(event: WithoutRun<NumberedEvent['event']>, body = ''): this {
    return this.send(this.frame(event, body));
  }

  /** The next event as a frame. */
  frame(event: WithoutRun<NumberedEvent['event']>, body = ''): Buffer {
    // `Omit` has removed only `run`.
    const whole = { ...event, run: this.origin.lease } as NumberedEvent['event'];
    return encodeFrame<NumberedEvent>({ sequence: this.#sequence++, event: whole }, body);
  }

  send(message: Uint8Array): this {
    this.#job.receive(this.origin, message, () => this.responses++);
    return this;
  }

  /** The next events are lost: the executor does not receive them. */
  lose(count = 1): this {
    this.#sequence += count;
    return this;
  }
}

interface Setup {
  readonly rerun?: RemoteJobLink['rerun'];
  readonly isInSession?: boolean;
  readonly limits?: Partial<Job['limits']>;
}

/** A remote job with an observer and a link that record their calls. */
export function remoteJob({ rerun = 'if-no-effect', isInSession = false, limits }: Setup = {}) {
  const link = new RecordingLink(rerun);
  const observer = new Recorder();
  const local = jobNamed('return 1');
  const whole = { ...local, limits: { ...local.limits, ...limits } };
  const job = new RemoteJob(whole, observer, link, isInSession);
  return {
    job,
    link,
    observer,
    /** A lease of the job. */
    lease: (worker: string, lease = 1) => new WorkerLease(job, worker, lease),
    /** The command that kills a lease. */
    killOf: ({ origin }: WorkerLease, why: 'abort' | 'breach' | 'limit' = 'abort') => ({
      worker: origin.worker,
      type: 'kill',
      lease: origin.lease,
      token: job.token,
      why,
      body: '',
    }),
  };
}
