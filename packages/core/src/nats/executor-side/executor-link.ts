import { encodeFrame } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { Job } from '@glovebox/protocol/job';
import type { Msg } from '@nats-io/nats-core';

import { hashOf } from '../../pools/quarantine.ts';
import type { JobObserver } from '../../pools/worker-pool.ts';
import { isNoResponders, isNoResponse, openConnection } from '../wire/connection.ts';
import type { Connection, NatsServers } from '../wire/connection.ts';
import {
  helloSchema,
  NATS_PROTOCOL,
  readJson,
  sessionResponseSchema,
} from '../wire/nats-messages.ts';
import type { SentCommand, SessionResponse } from '../wire/nats-messages.ts';
import { parseEventSubject, randomName, SESSION_LEASE } from '../wire/subjects.ts';
import type { EventOrigin, Subjects } from '../wire/subjects.ts';
import { EndConfirmations } from './end-confirmations.ts';
import { RemoteJob } from './remote-job.ts';
import type { LeaseCommand, RemoteJobLink } from './remote-job.ts';
import { assignmentOf, Submissions } from './submissions.ts';
import type { SubmissionsLink } from './submissions.ts';
import { WorkerRoster } from './worker-roster.ts';

/** Time-out of a request. A server or worker that is reachable responds within milliseconds. */
const REQUEST_TIMEOUT_MS = 5000;
/** Time-out of a ping if no worker responds, but another subscriber receives the ping. */
const PING_TIMEOUT_MS = 2000;

export interface ExecutorLinkOptions {
  readonly servers: NatsServers;
  readonly subjects: Subjects;
  readonly queueMs: number;
  readonly rerun: 'if-no-effect' | 'always';
}

/** The executor's connection to its workers: the connection, the jobs, and the known workers. */
export class ExecutorLink implements RemoteJobLink, SubmissionsLink {
  readonly rerun: 'if-no-effect' | 'always';
  readonly roster: WorkerRoster;
  readonly executor: string = randomName();
  /** The names of the open sessions. */
  readonly sessions = new Set<string>();
  readonly #options: ExecutorLinkOptions;
  readonly #subjects: Subjects;
  readonly #jobs = new Map<string, RemoteJob>();
  readonly #submissions: Submissions;
  readonly #endConfirmations = new EndConfirmations((worker, command) => {
    if (this.#isClosed) return;
    this.#nats.publish(this.#subjects.command(worker), encodeFrame<SentCommand>(command));
  });
  #connecting: Promise<void> | undefined;
  #connection: Connection | undefined;
  #isConnected = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** By worker: the hashes of the code for which its loss was reported. */
  readonly #reportedKills = new Map<string, Set<string>>();

  constructor(options: ExecutorLinkOptions) {
    this.#options = options;
    this.#subjects = options.subjects;
    this.rerun = options.rerun;
    this.#submissions = new Submissions(this, options.subjects, options.queueMs);
    this.roster = new WorkerRoster(
      (worker) => this.#onWorkerLost(worker),
      () => this.#isConnected,
    );
    // The first call that needs the connection reports the error.
    this.#ensureConnection().catch(() => undefined);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** How many jobs no worker has started. */
  get queued(): number {
    return this.#submissions.waiting.length;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Why no worker takes jobs. */
  get noWorkerReason(): string {
    const { incompatible } = this.roster;
    return incompatible === undefined
      ? 'No worker is available; start one with `glovebox worker`.'
      : `No worker uses protocol ${NATS_PROTOCOL}: ${incompatible.worker} uses ${incompatible.protocol}. Install the same version of Glovebox on both sides.`;
  }

  hasWorker(): boolean | Promise<boolean> {
    return this.roster.available.length > 0 || this.findWorker();
  }

  /** Resolves with whether a worker takes jobs. Rejects if no server is reachable. */
  async findWorker(): Promise<boolean> {
    await this.#ensureConnection();
    if (this.roster.available.length > 0) return true;
    try {
      const response = await this.#nats.request(this.#subjects.ping, '', {
        timeout: PING_TIMEOUT_MS,
      });
      this.#onHello(response);
    } catch (error) {
      // "No responders" means that there is no worker. So does a time-out: another client may
      // subscribe to all subjects, and then the server does not report "no responders".
      if (!isNoResponse(error) || !this.#isConnected) throw error;
    }
    return this.roster.available.length > 0;
  }

  /** Puts a job into the stream. */
  submit(job: Job, observer: JobObserver, depth: number): RemoteJob {
    const remote = new RemoteJob(job, observer, this, false);
    this.#jobs.set(remote.token, remote);
    this.#submissions.add(remote, depth);
    return remote;
  }

  /** Sends a job to the worker of a session. */
  submitToSession(worker: string, session: string, job: Job, observer: JobObserver): RemoteJob {
    const remote = new RemoteJob(job, observer, this, true);
    this.#jobs.set(remote.token, remote);
    void this.#runInSession(worker, session, remote);
    return remote;
  }

  /** Sends a command about a session. Resolves with undefined if the worker does not exist. */
  async requestSession(
    worker: string,
    command: Extract<SentCommand, { readonly type: 'open' | 'run' | 'close' }>,
    body = '',
  ): Promise<SessionResponse | undefined> {
    await this.#ensureConnection();
    const { nats, payloads } = this.#requiredConnection;
    const { bytes } = await payloads.pack<SentCommand>(command, body);
    try {
      const response = await nats.request(this.#subjects.command(worker), bytes, {
        timeout: command.type === 'open' ? 4 * REQUEST_TIMEOUT_MS : REQUEST_TIMEOUT_MS,
      });
      return sessionResponseSchema.parse(readJson(response));
    } catch (error) {
      if (isNoResponders(error)) return undefined;
      throw error;
    }
  }

  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame> {
    return this.#requiredConnection.payloads.fetch(frame, maxBytes);
  }

  confirmEnd(origin: EventOrigin): void {
    this.#endConfirmations.add(origin);
  }

  command(worker: string, command: LeaseCommand, body = ''): void {
    if (this.#connection === undefined || this.#isClosed) return;
    const { nats, payloads } = this.#connection;
    const packed = payloads.pack<SentCommand>(command, body);
    const subject = this.#subjects.command(worker);
    if (!(packed instanceof Promise)) {
      nats.publish(subject, packed.bytes);
      return;
    }
    packed.then(
      ({ bytes }) => nats.publish(subject, bytes),
      (cause: unknown) => {
        const message = 'The result of a tool could not be put into the object store.';
        this.#jobs.get(command.token)?.fail('HOST_LOST', message, 'yes', { cause });
        this.command(worker, { ...command, type: 'kill', why: 'abort' });
      },
    );
  }

  resubmit(job: RemoteJob): void {
    this.#submissions.resubmit(job);
  }

  reportKill(worker: string, code: string): void {
    const hash = hashOf(code);
    const hashes = this.#reportedKills.get(worker) ?? new Set();
    // The loss of a worker counts once for the same code, even if the worker had several runs of it.
    if (hashes.has(hash)) return;
    hashes.add(hash);
    this.#reportedKills.set(worker, hashes);
    this.#nats.publish(this.#subjects.kill, JSON.stringify({ hash }));
  }

  remove(job: RemoteJob, hasOutcome: boolean): void {
    this.#jobs.delete(job.token);
    this.#submissions.remove(job, hasOutcome);
  }

  async close(): Promise<void> {
    // The pools of all levels share this link and close it. A second call must not flush a closed
    // connection.
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    for (const job of this.#jobs.values()) job.kill('abort');
    this.roster.close();
    await this.#connecting?.catch(() => undefined);
    this.#endConfirmations.flush();
    if (this.#isConnected) {
      await this.#submissions.cleanedUp();
      await this.#connection?.nats.flush();
    }
    this.#isClosed = true;
    await this.#connection?.nats.close();
  }

  get #requiredConnection(): Connection {
    if (this.#connection === undefined) throw new Error('The connection is not open yet.');
    return this.#connection;
  }

  get #nats(): Connection['nats'] {
    return this.#requiredConnection.nats;
  }

  /** Connects once. Tries again if the last attempt failed. */
  async #ensureConnection(): Promise<void> {
    this.#connecting ??= this.#connect();
    try {
      await this.#connecting;
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { servers, subjects } = this.#options;
    const connection = await openConnection(servers, `executor-${this.executor}`, subjects);
    const { nats } = connection;
    this.#connection = connection;
    this.#isConnected = true;
    nats.subscribe(subjects.events(this.executor), {
      callback: (error, message) => {
        if (error === null) this.#onEvent(message);
      },
    });
    nats.subscribe(subjects.hello('*'), {
      callback: (error, message) => {
        if (error === null) this.#onHello(message);
      },
    });
    void this.#watchStatus(nats);
  }

  async #watchStatus(nats: Connection['nats']): Promise<void> {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') this.#isConnected = false;
      if (type !== 'reconnect') continue;
      this.#isConnected = true;
      this.roster.resetSilence();
      this.#submissions.republish();
    }
  }

  #onHello(message: Msg): void {
    const hello = helloSchema.safeParse(readJson(message));
    if (hello.success) this.roster.record(hello.data);
  }

  #onEvent(message: Msg): void {
    const origin = parseEventSubject(message.subject);
    if (origin === undefined) return;
    const respond = (): void => void message.respond();
    if (origin.lease === SESSION_LEASE) {
      // A keep-alive request: a response means that the session is still in use.
      if (this.sessions.has(origin.job)) respond();
      return;
    }
    const job = this.#jobs.get(origin.job);
    if (job !== undefined) {
      job.receive(origin, message.data, respond);
      return;
    }
    // The job is over, perhaps without an end event of this lease: stop its re-sends and its run.
    respond();
    const { worker, lease, job: token } = origin;
    this.command(worker, { type: 'kill', lease, token, why: 'abort' });
  }

  #onWorkerLost(worker: string): void {
    const hasOtherWorker = this.roster.available.length > 0;
    for (const job of this.#jobs.values()) {
      job.onWorkerLost(worker, hasOtherWorker);
      if (!hasOtherWorker && job.isWaiting) job.fail('HOST_LOST', this.noWorkerReason, 'no');
    }
    this.#reportedKills.delete(worker);
  }

  async #runInSession(worker: string, session: string, job: RemoteJob): Promise<void> {
    try {
      const { assignment, variables } = assignmentOf(job, this.executor);
      const command = { type: 'run', session, assignment } as const;
      const response = await this.requestSession(worker, command, variables);
      if (response === undefined) {
        job.fail('SESSION_LOST', sessionWorkerLost(worker), 'no');
      } else if (!response.ok) job.fail('SESSION_LOST', response.message, 'no');
    } catch (cause) {
      job.fail('HOST_LOST', `The worker ${worker} of the session did not respond.`, 'maybe', {
        cause,
      });
    }
  }
}

/** The message for a session whose worker is lost. */
export function sessionWorkerLost(worker: string): string {
  return `The worker ${worker} of the session is no longer available; open a new session.`;
}
