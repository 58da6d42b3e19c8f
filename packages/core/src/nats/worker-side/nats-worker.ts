import type { Frame } from '@glovebox/protocol/frame';
import { maxJobBytes, maxReplyBytes } from '@glovebox/protocol/frame-limits';
import type { Job } from '@glovebox/protocol/job';
import { mergeLimits, WORKER_CAPS } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';
import type { Msg, Subscription } from '@nats-io/nats-core';

import { PoolLevels } from '../../pools/levels.ts';
import { ProcessPool } from '../../pools/process/process-pool.ts';
import { hashOf, Quarantine } from '../../pools/quarantine.ts';
import { poolDefaults } from '../../pools/worker-pool.ts';
import type { JobHandle, JobObserver, PoolStats } from '../../pools/worker-pool.ts';
import { messageOf } from '../../shared/message-of.ts';
import { inboxPrefix, openConnection } from '../wire/connection.ts';
import type { Connection } from '../wire/connection.ts';
import {
  assignmentSchema,
  commandSchema,
  HELLO_MS,
  killReportSchema,
  NATS_PROTOCOL,
  readJson,
} from '../wire/nats-messages.ts';
import type { Assignment, Command, Hello, SessionResponse } from '../wire/nats-messages.ts';
import { StoredFrameError } from '../wire/payloads.ts';
import { retryUntilReachable } from '../wire/retry-until-reachable.ts';
import { SESSION_LEASE, Subjects } from '../wire/subjects.ts';
import type { Delivery } from './delivery.ts';
import { JobPuller } from './job-puller.ts';
import { refusalOf } from './job-refusal.ts';
import { ensureConsumer, ensureStream } from './job-stream.ts';
import type { Lease, LeaseEnd } from './lease.ts';
import { Leases } from './leases.ts';
import type { NatsWorkerOptions } from './worker-options.ts';
import { WorkerSessions } from './worker-sessions.ts';

/** How many runs may be nested: a tool of a run starts another run, and so on. */
const MAX_DEPTH = 8;
/** The interval between the heartbeats of a run in a session, in milliseconds. */
const SESSION_HEARTBEAT_MS = 3000;
/** How often a lease is renewed within its time. */
const RENEWALS_PER_LEASE = 3;

/** The context of a job from the stream. */
interface PullContext {
  /** How many runs wait for the job. */
  readonly depth: number;
  readonly leaseMs: number;
  /** Frees the slot for the next job. */
  readonly release: () => void;
  /** Removes the job from the stream. */
  readonly acknowledge: () => void;
}

/** Takes jobs of a pool from NATS, and runs them on this machine in its own process pool. */
export class NatsWorker {
  readonly #options: NatsWorkerOptions;
  readonly #subjects: Subjects;
  readonly #connection: Connection;
  readonly #caps: Limits;
  readonly #pool: ProcessPool;
  readonly #levels: PoolLevels;
  readonly #quarantine: Quarantine;
  readonly #sessions: WorkerSessions;
  readonly #leases: Leases;
  /** One for each depth. */
  readonly #pullers: JobPuller[] = [];
  readonly #ping: Subscription;
  readonly #helloTimer: NodeJS.Timeout;
  readonly #since = Date.now();
  #isConnected = true;
  #isDraining = false;
  #closing: Promise<void> | undefined;

  /** Waits until a server is reachable, creates the pool's stream if needed, and takes jobs. */
  static async start(options: NatsWorkerOptions): Promise<NatsWorker> {
    const subjects = new Subjects(options.tenant, options.pool);
    const onWait = (why: string): void => options.onEvent({ type: 'waiting', why });
    const { servers, name, stream } = options;
    const open = (): Promise<Connection> => openConnection(servers, name, subjects);
    const connection = await retryUntilReachable(open, onWait);
    try {
      await retryUntilReachable(() => ensureStream(connection, subjects, stream), onWait);
      const worker = new NatsWorker(options, subjects, connection);
      await worker.#pool.ready();
      worker.#pullAt(0);
      worker.#sendHello();
      return worker;
    } catch (error) {
      await connection.nats.close();
      throw error;
    }
  }

  private constructor(options: NatsWorkerOptions, subjects: Subjects, connection: Connection) {
    this.#options = options;
    this.#subjects = subjects;
    this.#connection = connection;
    this.#caps = mergeLimits(WORKER_CAPS, options.limits);
    this.#quarantine = new Quarantine(options.quarantine);
    const { nats } = connection;
    this.#leases = new Leases(connection, subjects, options.name, this.#caps, this.#since);
    const { slots, maxSessions, features } = options;
    const { slot } = poolDefaults();
    this.#pool = new ProcessPool({
      hosts: slots,
      maxSessions,
      slot: { ...slot, features, memoryMb: Math.min(slot.memoryMb, this.#caps.memoryMb) },
      onKill: (code) => nats.publish(subjects.kill, JSON.stringify({ hash: hashOf(code) })),
    });
    this.#levels = new PoolLevels(this.#pool);
    this.#sessions = new WorkerSessions(this.#pool, nats, maxSessions, this.#caps.memoryMb);
    // A ping needs one response: workers share a queue group.
    this.#ping = nats.subscribe(subjects.ping, {
      queue: 'ping',
      callback: (_error, message) => void message.respond(JSON.stringify(this.#hello())),
    });
    nats.subscribe(subjects.command(options.name), {
      callback: (_error, message) => void this.#onCommand(message),
    });
    nats.subscribe(subjects.kill, { callback: (_error, message) => this.#onKillReport(message) });
    this.#helloTimer = setInterval(() => this.#sendHello(), HELLO_MS);
    void this.#watchStatus();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Runs in progress, and runs whose end event is not confirmed yet. */
  get busy(): number {
    return this.#leases.size;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  stats(): PoolStats {
    return this.#pool.stats();
  }

  /** Takes no new jobs, finishes its runs, and closes. */
  async drain(): Promise<void> {
    if (!this.#isDraining) this.#options.onEvent({ type: 'draining' });
    this.#isDraining = true;
    this.#ping.unsubscribe();
    this.#sendHello();
    await Promise.all(this.#pullers.map((puller) => puller.drain()));
    await this.#leases.allConfirmed();
    await this.close();
  }

  /** Closes at once. Its runs go to other workers, or end with `HOST_LOST`. */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#helloTimer);
    for (const puller of this.#pullers) puller.close();
    await this.#sessions.closeAll();
    await this.#levels.close();
    const { nats } = this.#connection;
    // The last acknowledgements and events may still be in the client's buffer.
    if (this.#isConnected) await nats.flush();
    await nats.close();
    this.#leases.closeAll();
  }

  #hello(): Hello {
    const { name, version, slots, maxSessions } = this.#options;
    return {
      protocol: NATS_PROTOCOL,
      worker: name,
      since: this.#since,
      version,
      node: process.version,
      slots,
      busy: this.busy,
      sessions: this.#sessions.size,
      maxSessions,
      draining: this.#isDraining,
    };
  }

  #sendHello(): void {
    const { nats } = this.#connection;
    nats.publish(this.#subjects.hello(this.#options.name), JSON.stringify(this.#hello()));
  }

  async #watchStatus(): Promise<void> {
    for await (const status of this.#connection.nats.status()) {
      const { type } = status;
      // For example, a missing permission: `publish` does not report it.
      if (type === 'error') this.#options.onEvent({ type, message: status.error.message });
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isConnected = type === 'reconnect';
      this.#options.onEvent({ type: this.#isConnected ? 'connected' : 'disconnected' });
      if (!this.#isConnected) continue;
      this.#sendHello();
      for (const puller of this.#pullers) puller.restart();
    }
  }

  /** Starts to take jobs of a depth, unless it has started already. */
  #pullAt(depth: number): void {
    if (this.#pullers.length > depth || depth >= MAX_DEPTH || this.#isDraining) return;
    const { stream, slots, name, onEvent } = this.#options;
    const { nats, manager } = this.#connection;
    const puller = new JobPuller({
      nats,
      inboxPrefix: inboxPrefix(name),
      slots,
      open: async () => {
        const created = await ensureStream(this.#connection, this.#subjects, stream);
        return ensureConsumer(manager, this.#subjects, stream, depth, created);
      },
      onJob: (delivery, leaseMs, release) =>
        this.#onJob(delivery, {
          depth,
          leaseMs,
          release,
          acknowledge: () => puller.acknowledge(delivery),
        }),
      onError: (error) => {
        if (this.#isConnected) onEvent({ type: 'error', message: messageOf(error) });
      },
    });
    this.#pullers.push(puller);
  }

  #onJob(delivery: Delivery, context: PullContext): void {
    const { payloads } = this.#connection;
    const refuse = (error: unknown): void => {
      delivery.term();
      this.#onUnreadableJob(error);
      context.release();
    };
    const start = ({ header, body }: Frame): void => {
      const assignment = assignmentSchema.safeParse(header);
      if (assignment.success) this.#start(assignment.data, body, delivery, context);
      else refuse(assignment.error);
    };
    let frame: Frame | Promise<Frame>;
    try {
      frame = payloads.unpack(delivery.data, maxJobBytes(this.#caps), true);
    } catch (error) {
      refuse(error);
      return;
    }
    if (frame instanceof Promise) frame.then(start, refuse);
    else start(frame);
  }

  #start(
    assignment: Assignment,
    variables: string,
    delivery: Delivery,
    { depth, leaseMs, release, acknowledge }: PullContext,
  ): void {
    const { attempt } = delivery;
    // A tool of this job may run another job. This job holds its slot meanwhile, so that the other
    // one needs a slot of the next depth.
    if (assignment.job.tools.length > 0) this.#pullAt(depth + 1);
    const lease = this.#leases.add(assignment, {
      attempt,
      heartbeatMs: leaseMs / RENEWALS_PER_LEASE,
      renew: () => delivery.working(),
      onFree: (end) => {
        this.#reportRun(end, lease.startedAt, attempt);
        release();
      },
    });
    void lease.confirmed().then(acknowledge);
    const submit = (job: Job, observer: JobObserver): JobHandle =>
      this.#levels.at(depth).submit(job, observer);
    this.#run(lease, assignment, variables, submit, attempt);
  }

  #run(
    lease: Lease,
    assignment: Assignment,
    variables: string,
    submit: (job: Job, observer: JobObserver) => JobHandle,
    attempt: number,
  ): void {
    const refusal = refusalOf(assignment, attempt, this.#quarantine);
    if (refusal === undefined) lease.run({ ...assignment.job, variables }, submit);
    else lease.refuse(refusal);
  }

  #reportRun(end: LeaseEnd, startedAt: number, attempt: number): void {
    this.#options.onEvent({ type: 'run', end, ms: performance.now() - startedAt, attempt });
  }

  /** Reports a job that cannot be read: to the operator, and to the executor if it is known. */
  #onUnreadableJob(error: unknown): void {
    this.#options.onEvent({ type: 'refused', why: messageOf(error) });
    if (!(error instanceof StoredFrameError) || error.address === undefined) return;
    const { size, message, address, cause } = error;
    const lease = this.#leases.add(address, {
      attempt: 1,
      heartbeatMs: SESSION_HEARTBEAT_MS,
      renew: () => undefined,
      onFree: () => undefined,
    });
    const code = size === undefined ? 'HOST_LOST' : 'VARIABLES_LIMIT';
    lease.refuse({ type: 'failure', code, message, ran: 'no', cause, ...size });
  }

  #onKillReport(message: Msg): void {
    const report = killReportSchema.safeParse(readJson(message));
    if (!report.success) return;
    const { hash } = report.data;
    this.#quarantine.recordHash(hash);
    this.#options.onEvent({ type: 'killed', hash });
  }

  async #onCommand(message: Msg): Promise<void> {
    try {
      const { payloads } = this.#connection;
      const maxBytes = Math.max(maxJobBytes(this.#caps), maxReplyBytes(this.#caps));
      const unpacked = payloads.unpack(message.data, maxBytes);
      const { header, body } = unpacked instanceof Promise ? await unpacked : unpacked;
      await this.#execute(commandSchema.parse(header), body, message);
    } catch (error) {
      this.#options.onEvent({ type: 'refused', why: messageOf(error) });
    }
  }

  async #execute(command: Command, body: string, message: Msg): Promise<void> {
    const respond = (response: SessionResponse): void =>
      void message.respond(JSON.stringify(response));
    switch (command.type) {
      case 'reply':
        this.#leases.find(command)?.reply(command.callId, command.ok, body);
        return;
      case 'stop':
        this.#leases.find(command)?.stop();
        return;
      case 'kill':
        this.#leases.find(command)?.kill(command.why);
        return;
      case 'confirm':
        for (const each of command.leases) this.#leases.find(each)?.confirm();
        return;
      case 'open':
        respond(await this.#openSession(command));
        return;
      case 'close':
        await this.#sessions.close(command.session);
        respond({ ok: true, host: '' });
        return;
      case 'run': {
        const { session, assignment } = command;
        const slot = this.#sessions.find(session);
        if (slot === undefined) {
          const text = 'The worker does not have this session; open a new one.';
          respond({ ok: false, code: 'SESSION_UNKNOWN', message: text });
          return;
        }
        respond({ ok: true, host: slot.hostId });
        const lease = this.#leases.add(assignment, {
          attempt: 1,
          heartbeatMs: SESSION_HEARTBEAT_MS,
          renew: () => undefined,
          onFree: (end) => this.#reportRun(end, lease.startedAt, 1),
        });
        this.#run(lease, assignment, body, (job, observer) => slot.submit(job, observer), 1);
      }
    }
  }

  async #openSession(
    command: Extract<Command, { readonly type: 'open' }>,
  ): Promise<SessionResponse> {
    if (this.#isDraining) {
      const text = 'The worker is draining; start another one.';
      return { ok: false, code: 'POOL_UNAVAILABLE', message: text };
    }
    const { executor, session } = command;
    const origin = { job: session, worker: this.#options.name, lease: SESSION_LEASE };
    return this.#sessions.open(command, this.#subjects.event(executor, origin));
  }
}
