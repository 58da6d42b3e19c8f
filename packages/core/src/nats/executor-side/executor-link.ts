import { encodeFrame } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { Job } from '@glovebox/protocol/job';
import type { Msg } from '@nats-io/nats-core';

import { hashOf } from '../../pools/quarantine.ts';
import type { JobObserver } from '../../pools/worker-pool.ts';
import { isNoResponders, isUnheard, openConnection } from '../wire/nats-connection.ts';
import type { Connection, NatsServers } from '../wire/nats-connection.ts';
import { helloSchema, NATS_PROTOCOL, openedSchema, readJson } from '../wire/nats-messages.ts';
import type { Opened, SentCommand } from '../wire/nats-messages.ts';
import { SESSION_LEASE, sourceOfEvent, unguessable } from '../wire/subjects.ts';
import type { EventSource, Subjects } from '../wire/subjects.ts';
import { Heard } from './end-confirmations.ts';
import { RemoteJob } from './remote-job.ts';
import type { LeaseCommand, RemoteJobLink } from './remote-job.ts';
import { assignmentOf, Submissions } from './submissions.ts';
import type { SubmissionsLink } from './submissions.ts';
import { Roster } from './worker-roster.ts';

/** How long a request may take; a server or a worker that is there answers in milliseconds. */
const REQUEST_MS = 5000;
/** How long workers may take to say that they are there, where somebody else listens as well. */
const PING_MS = 2000;

export interface LinkOptions {
  readonly servers: NatsServers;
  readonly subjects: Subjects;
  readonly queueMs: number;
  readonly rerun: 'if-no-effect' | 'always';
}

/** The executor's end of the line: its connection, its jobs, and the workers that it hears of. */
export class Link implements RemoteJobLink, SubmissionsLink {
  readonly rerun: 'if-no-effect' | 'always';
  readonly roster: Roster;
  readonly executor: string = unguessable();
  /** Sessions that are open, by their names. */
  readonly sessions = new Set<string>();
  readonly #options: LinkOptions;
  readonly #subjects: Subjects;
  readonly #jobs = new Map<string, RemoteJob>();
  readonly #submissions: Submissions;
  readonly #heard = new Heard((worker, command) => {
    if (this.#isClosed) return;
    this.#nats.publish(this.#subjects.command(worker), encodeFrame<SentCommand>(command));
  });
  #opening: Promise<void> | undefined;
  #connection: Connection | undefined;
  #isConnected = false;
  #isClosed = false;
  #closing: Promise<void> | undefined;
  /** Workers whose death was reported with these sources. */
  readonly #reported = new Map<string, Set<string>>();

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#subjects = options.subjects;
    this.rerun = options.rerun;
    this.#submissions = new Submissions(this, options.subjects, options.queueMs);
    this.roster = new Roster(
      (worker) => this.#onLost(worker),
      () => this.#isConnected,
    );
    // Whoever needs the connection hears of it.
    this.#opened().catch(() => undefined);
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** Jobs that nobody has begun with. */
  get waiting(): number {
    return this.#submissions.waiting.length;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Why no job can be taken. */
  get wantOfWorkers(): string {
    const { refused } = this.roster;
    return refused === undefined
      ? 'No worker listens; start one with `glovebox worker`.'
      : `No worker listens that speaks protocol ${NATS_PROTOCOL}; ${refused.worker} speaks ${refused.protocol}.`;
  }

  hasWorker(): boolean | Promise<boolean> {
    return this.roster.listening.length > 0 || this.findWorker();
  }

  /** Resolves with whether anybody takes jobs; rejects when no server can be reached. */
  async findWorker(): Promise<boolean> {
    await this.#opened();
    if (this.roster.listening.length > 0) return true;
    try {
      const answer = await this.#nats.request(this.#subjects.ping, '', { timeout: PING_MS });
      this.#onHello(answer);
    } catch (error) {
      // Who listens to all that is said keeps the server from saying that nobody listens.
      if (!isUnheard(error) || !this.#isConnected) throw error;
    }
    return this.roster.listening.length > 0;
  }

  /** Puts a job into the stream. */
  submit(job: Job, observer: JobObserver, depth: number): RemoteJob {
    const remote = new RemoteJob(job, observer, this, false);
    this.#jobs.set(remote.token, remote);
    this.#submissions.add(remote, depth);
    return remote;
  }

  /** Gives a job to a worker that holds a session. */
  submitToSession(worker: string, session: string, job: Job, observer: JobObserver): RemoteJob {
    const remote = new RemoteJob(job, observer, this, true);
    this.#jobs.set(remote.token, remote);
    void this.#runInSession(worker, session, remote);
    return remote;
  }

  /** Asks a worker something about a session. Undefined when it is not there. */
  async ask(
    worker: string,
    command: Extract<SentCommand, { readonly type: 'open' | 'run' | 'close' }>,
    body = '',
  ): Promise<Opened | undefined> {
    await this.#opened();
    const { nats, payloads } = this.#connected;
    const { bytes } = await payloads.pack<SentCommand>(command, body);
    try {
      const answer = await nats.request(this.#subjects.command(worker), bytes, {
        timeout: command.type === 'open' ? 4 * REQUEST_MS : REQUEST_MS,
      });
      return openedSchema.parse(readJson(answer));
    } catch (error) {
      if (isNoResponders(error)) return undefined;
      throw error;
    }
  }

  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame> {
    return this.#connected.payloads.fetch(frame, maxBytes);
  }

  heard(source: EventSource): void {
    this.#heard.note(source);
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
        const message = 'The answer of a tool did not fit into the object store.';
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
    const hashes = this.#reported.get(worker) ?? new Set();
    // One death of a worker counts once, however many runs of the same code it had.
    if (hashes.has(hash)) return;
    hashes.add(hash);
    this.#reported.set(worker, hashes);
    this.#nats.publish(this.#subjects.kill, JSON.stringify({ hash }));
  }

  forget(job: RemoteJob, wasDone: boolean): void {
    this.#jobs.delete(job.token);
    this.#submissions.forget(job, wasDone);
  }

  async close(): Promise<void> {
    // The pools of all levels share it: what comes second must not flush what is closed.
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    for (const job of this.#jobs.values()) job.kill('abort');
    this.roster.close();
    await this.#opening?.catch(() => undefined);
    this.#heard.flush();
    if (this.#isConnected) {
      await this.#submissions.cleaned();
      await this.#connection?.nats.flush();
    }
    this.#isClosed = true;
    await this.#connection?.nats.close();
  }

  get #connected(): Connection {
    if (this.#connection === undefined) throw new Error('There is no connection yet.');
    return this.#connection;
  }

  get #nats(): Connection['nats'] {
    return this.#connected.nats;
  }

  /** Connects, and tries anew where that has failed before. */
  async #opened(): Promise<void> {
    this.#opening ??= this.#open();
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #open(): Promise<void> {
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
    void this.#watch(nats);
  }

  async #watch(nats: Connection['nats']): Promise<void> {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') this.#isConnected = false;
      if (type !== 'reconnect') continue;
      this.#isConnected = true;
      this.roster.forgive();
      this.#submissions.republish();
    }
  }

  #onHello(message: Msg): void {
    const hello = helloSchema.safeParse(readJson(message));
    if (hello.success) this.roster.note(hello.data);
  }

  #onEvent(message: Msg): void {
    const source = sourceOfEvent(message.subject);
    if (source === undefined) return;
    const confirm = (): void => void message.respond();
    if (source.lease === SESSION_LEASE) {
      // The worker asks whether the session is still wanted.
      if (this.sessions.has(source.job)) confirm();
      return;
    }
    const job = this.#jobs.get(source.job);
    if (job !== undefined) {
      job.receive(source, message.data, confirm);
      return;
    }
    // It ended without this worker's word: whatever it is still at is to stop.
    confirm();
    const { worker, lease, job: token } = source;
    this.command(worker, { type: 'kill', lease, token, why: 'abort' });
  }

  #onLost(worker: string): void {
    const isAnyoneLeft = this.roster.listening.length > 0;
    for (const job of this.#jobs.values()) {
      job.workerLost(worker, isAnyoneLeft);
      if (!isAnyoneLeft && job.isWaiting) job.fail('HOST_LOST', this.wantOfWorkers, 'no');
    }
    this.#reported.delete(worker);
  }

  async #runInSession(worker: string, session: string, job: RemoteJob): Promise<void> {
    try {
      const { assignment, variables } = assignmentOf(job, this.executor);
      const answer = await this.ask(worker, { type: 'run', session, assignment }, variables);
      if (answer === undefined) {
        job.fail('SESSION_LOST', `The worker ${worker} of the session is gone.`, 'no');
      } else if (!answer.ok) job.fail('SESSION_LOST', answer.message, 'no');
    } catch (cause) {
      job.fail('HOST_LOST', `The worker ${worker} of the session did not answer.`, 'maybe', {
        cause,
      });
    }
  }
}
