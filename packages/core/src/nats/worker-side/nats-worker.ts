import { HEADER_ALLOWANCE } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
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
import { HELLO_MS } from '../executor-side/worker-roster.ts';
import { inboxPrefix, openConnection } from '../wire/nats-connection.ts';
import type { Connection } from '../wire/nats-connection.ts';
import {
  assignmentSchema,
  commandSchema,
  killSchema,
  NATS_PROTOCOL,
  readJson,
} from '../wire/nats-messages.ts';
import type { Assignment, Command, Hello, Opened } from '../wire/nats-messages.ts';
import { StoredFrameError } from '../wire/payloads.ts';
import { patiently } from '../wire/retry-until-reachable.ts';
import { SESSION_LEASE, Subjects } from '../wire/subjects.ts';
import type { Delivery } from './delivery.ts';
import { Puller } from './job-puller.ts';
import { ensureConsumer, ensureStream } from './job-stream.ts';
import type { Lease, LeaseEnd } from './lease.ts';
import { Leases } from './leases.ts';
import type { NatsWorkerOptions } from './worker-options.ts';
import { WorkerSessions } from './worker-sessions.ts';

/** A job that has taken so many workers with it is given to no further one. */
const MAX_DELIVERIES = 5;
/** How many runs may wait for each other, one in a tool of the other. */
const MAX_DEPTH = 8;
/** How often a run in a session asks whether it is still wanted, in milliseconds. */
const SESSION_ALIVE_MS = 3000;
/** Leases are renewed three times as often as they run out. */
const RENEWALS = 3;

/** What comes with a job that was asked for. */
interface Pulled {
  /** How many runs wait for it. */
  readonly depth: number;
  readonly leaseMs: number;
  /** To be called when its slot is free, and when nobody needs the job any more. */
  readonly free: () => void;
  readonly acknowledge: () => void;
}

/** Runs jobs of a pool on this machine, in a process pool of its own. */
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
  readonly #pullers: Puller[] = [];
  readonly #ping: Subscription;
  readonly #helloTimer: NodeJS.Timeout;
  readonly #since = Date.now();
  #isConnected = true;
  #isDraining = false;
  #closing: Promise<void> | undefined;

  /** Waits for servers, makes the pool's stream where it is not there, and begins to take jobs. */
  static async start(options: NatsWorkerOptions): Promise<NatsWorker> {
    const subjects = new Subjects(options.tenant, options.pool);
    const onWait = (why: string): void => options.onEvent({ type: 'waiting', why });
    const { servers, name, stream } = options;
    const connection = await patiently(() => openConnection(servers, name, subjects), onWait);
    try {
      await patiently(() => ensureStream(connection, subjects, stream), onWait);
      const worker = new NatsWorker(options, subjects, connection);
      await worker.#pool.ready();
      worker.#pullAt(0);
      worker.#hello();
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
    // One answer is enough for who asks whether anybody is there.
    this.#ping = nats.subscribe(subjects.ping, {
      queue: 'ping',
      callback: (_error, message) => void message.respond(JSON.stringify(this.#state())),
    });
    nats.subscribe(subjects.command(options.name), {
      callback: (_error, message) => void this.#onCommand(message),
    });
    nats.subscribe(subjects.kill, { callback: (_error, message) => this.#onKill(message) });
    this.#helloTimer = setInterval(() => this.#hello(), HELLO_MS);
    void this.#watch();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** Jobs and runs of sessions that are under way. */
  get busy(): number {
    return this.#leases.size;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  stats(): PoolStats {
    return this.#pool.stats();
  }

  /** Finishes what it has, takes nothing new, and ends. */
  async drain(): Promise<void> {
    if (!this.#isDraining) this.#options.onEvent({ type: 'draining' });
    this.#isDraining = true;
    this.#ping.unsubscribe();
    this.#hello();
    await Promise.all(this.#pullers.map((puller) => puller.stop()));
    await this.#leases.told();
    await this.close();
  }

  /** Ends at once; what is under way is given to other workers, or told to be lost. */
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
    // What was acknowledged or said last is still on its way.
    if (this.#isConnected) await nats.flush();
    await nats.close();
    this.#leases.abandon();
  }

  #state(): Hello {
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

  #hello(): void {
    const { nats } = this.#connection;
    nats.publish(this.#subjects.hello(this.#options.name), JSON.stringify(this.#state()));
  }

  async #watch(): Promise<void> {
    for await (const status of this.#connection.nats.status()) {
      const { type } = status;
      // Such as what the user may not do: who published it hears nothing.
      if (type === 'error') this.#options.onEvent({ type, message: status.error.message });
      if (type !== 'disconnect' && type !== 'reconnect') continue;
      this.#isConnected = type === 'reconnect';
      this.#options.onEvent({ type: this.#isConnected ? 'connected' : 'disconnected' });
      if (!this.#isConnected) continue;
      this.#hello();
      for (const puller of this.#pullers) puller.renew();
    }
  }

  /** Takes jobs that so many runs wait for. */
  #pullAt(depth: number): void {
    if (this.#pullers.length > depth || depth >= MAX_DEPTH || this.#isDraining) return;
    const { stream, slots, name, onEvent } = this.#options;
    const { nats, manager } = this.#connection;
    const puller = new Puller({
      nats,
      inboxPrefix: inboxPrefix(name),
      slots,
      open: async () => {
        const created = await ensureStream(this.#connection, this.#subjects, stream);
        return ensureConsumer(manager, this.#subjects, stream, depth, created);
      },
      carryOut: (delivery, leaseMs, free) =>
        this.#carryOut(delivery, {
          depth,
          leaseMs,
          free,
          acknowledge: () => puller.done(delivery),
        }),
      onError: (error) => {
        if (this.#isConnected) onEvent({ type: 'error', message: messageOf(error) });
      },
    });
    this.#pullers.push(puller);
  }

  #carryOut(delivery: Delivery, pulled: Pulled): void {
    const { payloads } = this.#connection;
    const refuse = (error: unknown): void => {
      delivery.giveUp();
      this.#refuseUnread(error);
      pulled.free();
    };
    const begin = ({ header, body }: Frame): void => {
      const assignment = assignmentSchema.safeParse(header);
      if (assignment.success) this.#begin(assignment.data, body, delivery, pulled);
      else refuse(assignment.error);
    };
    let frame: Frame | Promise<Frame>;
    try {
      frame = payloads.unpack(delivery.data, this.#maxFrameBytes, true);
    } catch (error) {
      refuse(error);
      return;
    }
    if (frame instanceof Promise) frame.then(begin, refuse);
    else begin(frame);
  }

  #begin(assignment: Assignment, variables: string, delivery: Delivery, pulled: Pulled): void {
    const { attempt } = delivery;
    const { depth, leaseMs, free, acknowledge } = pulled;
    // The job may have tools, and these may run jobs: they need slots of their own level.
    if (assignment.job.tools.length > 0) this.#pullAt(depth + 1);
    const lease = this.#leases.add(assignment, {
      attempt,
      aliveMs: leaseMs / RENEWALS,
      renew: () => delivery.working(),
      onFree: (end) => {
        this.#onRun(end, lease.startedAt, attempt);
        free();
      },
    });
    void lease.told().then(acknowledge);
    const submit = (job: Job, observer: JobObserver): JobHandle =>
      this.#levels.at(depth).submit(job, observer);
    this.#run(lease, assignment, variables, submit, attempt);
  }

  get #maxFrameBytes(): number {
    const { sourceBytes, variablesBytes } = this.#caps;
    // Text may take more room as JSON than it has bytes.
    return 2 * sourceBytes + variablesBytes + HEADER_ALLOWANCE;
  }

  #run(
    lease: Lease,
    { job, protocol }: Assignment,
    variables: string,
    submit: (job: Job, observer: JobObserver) => JobHandle,
    attempt: number,
  ): void {
    const refuse = (code: 'HOST_LOST' | 'QUARANTINED', message: string): void =>
      lease.refuse({ type: 'failure', code, message, ran: code === 'HOST_LOST' ? 'maybe' : 'no' });
    const quarantined = this.#quarantine.find(job.code);
    if (protocol !== NATS_PROTOCOL) {
      refuse('HOST_LOST', `The worker speaks protocol ${NATS_PROTOCOL}.`);
    } else if (attempt > MAX_DELIVERIES) {
      refuse('HOST_LOST', `The run was lost ${MAX_DELIVERIES} times.`);
    } else if (quarantined !== undefined) {
      const message = `This code has killed ${quarantined.kills} hosts; it is kept out for a while.`;
      refuse('QUARANTINED', message);
    } else {
      lease.run({ ...job, variables }, submit);
    }
  }

  #onRun(end: LeaseEnd, startedAt: number, attempt: number): void {
    this.#options.onEvent({ type: 'run', end, ms: performance.now() - startedAt, attempt });
  }

  /** A message is no job that this worker can read. */
  #refuseUnread(error: unknown): void {
    this.#options.onEvent({ type: 'refused', why: messageOf(error) });
    if (!(error instanceof StoredFrameError) || error.address === undefined) return;
    const { size, message, address, cause } = error;
    const lease = this.#leases.add(address, {
      attempt: 1,
      aliveMs: SESSION_ALIVE_MS,
      renew: () => undefined,
      onFree: () => undefined,
    });
    const code = size === undefined ? 'HOST_LOST' : 'VARIABLES_LIMIT';
    lease.refuse({ type: 'failure', code, message, ran: 'no', cause, ...size });
  }

  #onKill(message: Msg): void {
    const kill = killSchema.safeParse(readJson(message));
    if (!kill.success) return;
    const { hash } = kill.data;
    this.#quarantine.recordHash(hash);
    this.#options.onEvent({ type: 'killed', hash });
  }

  async #onCommand(message: Msg): Promise<void> {
    try {
      const { payloads } = this.#connection;
      const maxBytes = Math.max(this.#maxFrameBytes, this.#caps.toolResultBytes + HEADER_ALLOWANCE);
      const unpacked = payloads.unpack(message.data, maxBytes);
      const { header, body } = unpacked instanceof Promise ? await unpacked : unpacked;
      await this.#obey(commandSchema.parse(header), body, message);
    } catch (error) {
      this.#options.onEvent({ type: 'refused', why: messageOf(error) });
    }
  }

  async #obey(command: Command, body: string, message: Msg): Promise<void> {
    const answer = (opened: Opened): void => void message.respond(JSON.stringify(opened));
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
      case 'heard':
        for (const each of command.leases) this.#leases.find(each)?.heard();
        return;
      case 'open':
        answer(await this.#openSession(command));
        return;
      case 'close':
        await this.#sessions.close(command.session);
        answer({ ok: true, host: '' });
        return;
      case 'run': {
        const { session, assignment } = command;
        const slot = this.#sessions.find(session);
        if (slot === undefined) {
          const text = 'The worker has no such session.';
          answer({ ok: false, code: 'SESSION_UNKNOWN', message: text });
          return;
        }
        answer({ ok: true, host: slot.hostId });
        const lease = this.#leases.add(assignment, {
          attempt: 1,
          aliveMs: SESSION_ALIVE_MS,
          renew: () => undefined,
          onFree: (end) => this.#onRun(end, lease.startedAt, 1),
        });
        this.#run(lease, assignment, body, (job, hears) => slot.submit(job, hears), 1);
      }
    }
  }

  async #openSession(command: Extract<Command, { readonly type: 'open' }>): Promise<Opened> {
    if (this.#isDraining) {
      return { ok: false, code: 'POOL_UNAVAILABLE', message: 'The worker is about to end.' };
    }
    const { executor, session } = command;
    const source = { job: session, worker: this.#options.name, lease: SESSION_LEASE };
    return this.#sessions.open(command, this.#subjects.event(executor, source));
  }
}
