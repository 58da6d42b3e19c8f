// The types of @glovebox/core/nats, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  JetStreamClient,
  JetStreamManager,
} from "@nats-io/jetstream";
import {
  ObjectStore,
} from "@nats-io/obj";
import {
  NatsConnection,
  NodeConnectionOptions,
  credsAuthenticator,
  nkeyAuthenticator,
} from "@nats-io/transport-node";
import {
  z,
} from "zod";
type Command = z.infer<typeof commandSchema>;
interface Connection {
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly jetstream: JetStreamClient;
  readonly payloads: Payloads;
}
interface EventOrigin {
  readonly job: string;
  readonly worker: string;
  readonly lease: number;
}
declare class ExecutorLink implements RemoteJobLink, SubmissionsLink {
  #private;
  readonly rerun: 'if-no-effect' | 'always';
  readonly roster: WorkerRoster;
  readonly executor: string;
  readonly sessions: Set<string>;
  constructor(options: ExecutorLinkOptions);
  get isConnected(): boolean;
  get queued(): number;
  get connection(): Connection | undefined;
  get noWorkerReason(): string;
  hasWorker(): boolean | Promise<boolean>;
  findWorker(): Promise<boolean>;
  submit(job: Job, observer: JobObserver, depth: number): RemoteJob;
  submitToSession(worker: string, session: string, job: Job, observer: JobObserver): RemoteJob;
  requestSession(worker: string, command: Extract<SentCommand, {
    readonly type: 'open' | 'run' | 'close';
  }>, body?: string): Promise<SessionResponse | undefined>;
  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame>;
  confirmEnd(origin: EventOrigin): void;
  command(worker: string, command: LeaseCommand, body?: string): void;
  resubmit(job: RemoteJob): void;
  reportKill(worker: string, code: string): void;
  remove(job: RemoteJob, hasOutcome: boolean): void;
  close(): Promise<void>;
}
interface ExecutorLinkOptions {
  readonly servers: NatsServers;
  readonly subjects: Subjects;
  readonly queueMs: number;
  readonly rerun: 'if-no-effect' | 'always';
}
interface Frame {
  readonly header: unknown;
  readonly body: string;
}
type Hello = z.infer<typeof helloSchema>;
type JobAddress = NonNullable<z.infer<typeof storedFrameSchema>['address']>;
type LeaseCommand = Extract<Command, {
  readonly type: 'reply' | 'stop' | 'kill';
}>;
type LeaseEnd = SlotOutcome['end'] | OutcomeCode;
export declare class NatsPool implements WorkerPool {
  #private;
  readonly kind = "nats";
  constructor(link: ExecutorLink, depth: number, sessions: RemoteSessions);
  submit(job: Job, observer: JobObserver): JobHandle;
  openSession(memoryMb: number): Promise<PoolSession>;
  ready(): Promise<void>;
  stats(): PoolStats;
  nested(): NatsPool;
  close(): Promise<void>;
}
interface NatsPoolOptions {
  readonly servers: string | string[] | NatsServers;
  readonly tenant?: string | undefined;
  readonly pool?: string | undefined;
  readonly queueMs?: number | undefined;
  readonly maxSessions?: number | undefined;
  readonly rerun?: 'if-no-effect' | 'always' | undefined;
}
type NatsServers = NodeConnectionOptions;
export declare class NatsWorker {
  #private;
  static start(options: NatsWorkerOptions): Promise<NatsWorker>;
  private constructor();
  get isConnected(): boolean;
  get isDraining(): boolean;
  get busy(): number;
  get sessions(): number;
  stats(): PoolStats;
  drain(): Promise<void>;
  close(): Promise<void>;
}
interface NatsWorkerOptions {
  readonly servers: NatsServers;
  readonly tenant: string;
  readonly pool: string;
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly maxSessions: number;
  readonly features: SlotSettings['features'];
  readonly limits: LimitsInput;
  readonly stream: StreamSettings;
  readonly quarantine: QuarantineOptions;
  readonly onEvent: (event: WorkerEvent) => void;
}
interface PackedFrame {
  readonly bytes: Uint8Array;
  readonly stored?: string;
}
declare class Payloads {
  #private;
  constructor(openStore: () => Promise<ObjectStore>, read: (name: string, maxBytes: number) => Promise<Buffer>);
  pack<Header extends object = never>(header: NoInfer<Header>, body?: string, address?: JobAddress): PackedFrame | Promise<PackedFrame>;
  unpack(message: Uint8Array, maxBytes: number, keep?: boolean): Frame | Promise<Frame>;
  fetch(frame: Frame, maxBytes: number, keep?: boolean): Frame | Promise<Frame>;
  discard(name: string): Promise<void>;
}
declare class RemoteJob implements JobHandle {
  #private;
  readonly token: string;
  readonly job: Job;
  constructor(job: Job, observer: JobObserver, link: RemoteJobLink, isInSession: boolean);
  get isWaiting(): boolean;
  get isOver(): boolean;
  reply(callId: number, ok: boolean, text: string): void;
  stop(): void;
  kill(why: KillReason): void;
  fail(code: OutcomeCode, message: string, ran: PoolFailure['ran'], more?: Partial<Pick<PoolFailure, 'limit' | 'used' | 'cause'>>): void;
  onWorkerLost(worker: string, hasOtherWorker: boolean): void;
  receive(origin: EventOrigin, message: Uint8Array, respond: () => void): void;
}
interface RemoteJobLink {
  readonly rerun: 'if-no-effect' | 'always';
  fetch(frame: Frame, maxBytes: number): Frame | Promise<Frame>;
  confirmEnd(origin: EventOrigin): void;
  command(worker: string, command: LeaseCommand, body?: string): void;
  resubmit(job: RemoteJob): void;
  reportKill(worker: string, code: string): void;
  remove(job: RemoteJob, hasOutcome: boolean): void;
}
declare class RemoteSessions {
  #private;
  constructor(link: ExecutorLink, max: number);
  get size(): number;
  open(memoryMb: number): Promise<PoolSession>;
}
type SentCommand = z.input<typeof commandSchema>;
type SessionResponse = z.infer<typeof sessionResponseSchema>;
interface StreamSettings {
  readonly storage: 'memory' | 'file';
  readonly replicas: number;
  readonly maxJobs: number;
  readonly storeBytes: number;
  readonly leaseMs: number;
}
declare class Subjects {
  #private;
  readonly stream: string;
  readonly bucket: string;
  constructor(tenant: string, pool: string);
  jobs(depth: number | '*'): string;
  consumer(depth: number, created: string): string;
  event(executor: string, { job, worker, lease }: EventOrigin): string;
  events(executor: string): string;
  command(worker: string): string;
  hello(worker: string): string;
  get ping(): string;
  get kill(): string;
}
interface SubmissionsLink {
  readonly executor: string;
  readonly isConnected: boolean;
  readonly connection: Connection | undefined;
  hasWorker(): boolean | Promise<boolean>;
  readonly noWorkerReason: string;
}
type WorkerEvent = {
  readonly type: 'connected' | 'disconnected' | 'draining';
} | {
  readonly type: 'run';
  readonly end: LeaseEnd;
  readonly ms: number;
  readonly attempt: number;
} | {
  readonly type: 'waiting' | 'refused';
  readonly why: string;
} | {
  readonly type: 'killed';
  readonly hash: string;
} | {
  readonly type: 'error';
  readonly message: string;
};
declare class WorkerRoster {
  #private;
  constructor(onLost: (worker: string) => void, isConnected: () => boolean);
  get available(): readonly Hello[];
  get lost(): number;
  get incompatible(): Hello | undefined;
  has(worker: string): boolean;
  record(hello: Hello): void;
  resetSilence(): void;
  close(): void;
}
declare const commandSchema: z.ZodDiscriminatedUnion<[z.ZodObject<{
  type: z.ZodLiteral<"reply">;
  lease: z.ZodInt;
  token: z.ZodString;
  callId: z.ZodInt;
  ok: z.ZodBoolean;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"stop">;
  lease: z.ZodInt;
  token: z.ZodString;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"kill">;
  lease: z.ZodInt;
  token: z.ZodString;
  why: z.ZodEnum<{
    abort: "abort";
    breach: "breach";
    limit: "limit";
  }>;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"confirm">;
  leases: z.ZodArray<z.ZodObject<{
    lease: z.ZodInt;
    token: z.ZodString;
  }, z.core.$strict>>;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"open">;
  executor: z.ZodString;
  session: z.ZodString;
  memoryMb: z.ZodInt;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"run">;
  session: z.ZodString;
  assignment: z.ZodObject<{
    protocol: z.ZodInt;
    executor: z.ZodString;
    token: z.ZodString;
    job: z.ZodObject<{
      code: z.ZodString;
      filename: z.ZodString;
      language: z.ZodEnum<{
        auto: "auto";
        javascript: "javascript";
        typescript: "typescript";
      }>;
      tools: z.ZodArray<z.ZodString>;
      limits: z.ZodPipe<z.ZodObject<{
        readonly cpuMs: z.ZodOptional<z.ZodNumber>;
        readonly logBytes: z.ZodOptional<z.ZodNumber>;
        readonly memoryMb: z.ZodOptional<z.ZodNumber>;
        readonly resultBytes: z.ZodOptional<z.ZodNumber>;
        readonly sourceBytes: z.ZodOptional<z.ZodNumber>;
        readonly toolArgBytes: z.ZodOptional<z.ZodNumber>;
        readonly toolCalls: z.ZodOptional<z.ZodNumber>;
        readonly toolCallsInFlight: z.ZodOptional<z.ZodNumber>;
        readonly toolResultBytes: z.ZodOptional<z.ZodNumber>;
        readonly variablesBytes: z.ZodOptional<z.ZodNumber>;
        readonly wallMs: z.ZodOptional<z.ZodNumber>;
      }, z.core.$strict>, z.ZodTransform<Limits, {
        cpuMs?: number | undefined;
        logBytes?: number | undefined;
        memoryMb?: number | undefined;
        resultBytes?: number | undefined;
        sourceBytes?: number | undefined;
        toolArgBytes?: number | undefined;
        toolCalls?: number | undefined;
        toolCallsInFlight?: number | undefined;
        toolResultBytes?: number | undefined;
        variablesBytes?: number | undefined;
        wallMs?: number | undefined;
      }>>;
      deterministic: z.ZodNullable<z.ZodObject<{
        now: z.ZodNumber;
        seed: z.ZodInt32;
      }, z.core.$strict>>;
    }, z.core.$strict>;
  }, z.core.$strict>;
}, z.core.$strict>, z.ZodObject<{
  type: z.ZodLiteral<"close">;
  session: z.ZodString;
}, z.core.$strict>], "type">;
declare const helloSchema: z.ZodObject<{
  protocol: z.ZodInt;
  worker: z.ZodString;
  since: z.ZodInt;
  version: z.ZodString;
  node: z.ZodString;
  slots: z.ZodInt;
  busy: z.ZodInt;
  sessions: z.ZodInt;
  maxSessions: z.ZodInt;
  draining: z.ZodBoolean;
}, z.core.$strict>;
export declare function nats(options: NatsPoolOptions): NatsPool;
declare const sessionResponseSchema: z.ZodDiscriminatedUnion<[z.ZodObject<{
  ok: z.ZodLiteral<true>;
  host: z.ZodString;
}, z.core.$strict>, z.ZodObject<{
  ok: z.ZodLiteral<false>;
  code: z.ZodEnum<{
    POOL_UNAVAILABLE: "POOL_UNAVAILABLE";
    SESSION_LIMIT: "SESSION_LIMIT";
    SESSION_UNKNOWN: "SESSION_UNKNOWN";
  }>;
  message: z.ZodString;
}, z.core.$strict>], "ok">;
declare const storedFrameSchema: z.ZodObject<{
  stored: z.ZodObject<{
    name: z.ZodString;
    bytes: z.ZodInt;
  }, z.core.$strict>;
  address: z.ZodOptional<z.ZodObject<{
    executor: z.ZodString;
    token: z.ZodString;
  }, z.core.$strict>>;
}, z.core.$strict>;
export {
  type NatsPoolOptions,
  type NatsServers,
  type NatsWorkerOptions,
  type WorkerEvent,
  credsAuthenticator,
  nkeyAuthenticator,
};
