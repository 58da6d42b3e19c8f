// The types of @glovebox/core, written by `npx -y pnpm run api`; not to be edited.
import {
  ChildProcess,
  SpawnOptions,
} from "node:child_process";
import {
  z,
} from "zod";
type AnyTool = TrustedTool | UntrustedTool;
interface ApprovalContext {
  readonly tool: string;
  readonly signal: AbortSignal;
}
type ApprovalDecision = {
  readonly decision: 'approve';
} | {
  readonly decision: 'deny';
  readonly reason?: string | undefined;
} | {
  readonly decision: 'edit';
  readonly args: unknown;
};
interface ApprovalRequest {
  readonly dispatchId: number;
  readonly tool: string;
  readonly description: string | undefined;
  readonly args: unknown;
  readonly within: readonly string[];
}
type Approve = (request: ApprovalRequest, context: {
  readonly signal: AbortSignal;
}) => ApprovalDecision | Promise<ApprovalDecision>;
type ApprovePlan = (request: PlanApprovalRequest, context: {
  readonly signal: AbortSignal;
}) => PlanDecision | Promise<PlanDecision>;
interface CacheOptions {
  readonly maxEntries: number;
  readonly ttlMs: number;
}
interface CallBudget {
  remaining: number;
}
interface CanDispatch {
  dispatch(request: DispatchRequest): Promise<DispatchResult>;
}
interface CircuitBreakerOptions {
  readonly failures: number;
  readonly coolDownMs: number;
}
interface CloseOptions {
  readonly drain?: boolean;
}
interface CodeCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}
interface CodeStep extends SingleStepBase {
  readonly code: string;
  readonly uses?: readonly string[] | undefined;
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  readonly limits?: LimitsInput | undefined;
}
interface CodeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly execute: (input: CodeToolInput, options?: CodeCallOptions | ToolContext) => Promise<CodeToolResult>;
}
interface CodeToolInput {
  readonly code: string;
}
interface CodeToolOptions {
  readonly registry: ToolRegistry;
  readonly executor: Executor;
  readonly dispatcher?: Dispatcher | undefined;
  readonly session?: Session | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly limits?: LimitsInput | undefined;
  readonly maxResultCharacters?: number | undefined;
}
interface CodeToolResult {
  readonly text: string;
  readonly outcome: Outcome;
}
export declare const DEFAULT_LIMITS: Readonly<Limits>;
export declare const DISPATCH_CHANNELS: {
  readonly start: 'glovebox:dispatch:start';
  readonly attempt: 'glovebox:dispatch:attempt';
  readonly retry: 'glovebox:dispatch:retry';
  readonly approval: 'glovebox:dispatch:approval';
  readonly end: 'glovebox:dispatch:end';
};
export declare const DISPATCH_KINDS: {
  readonly invalid_request: {
    readonly when: 'The request itself is malformed.';
    readonly jsonRpcCode: -32600;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly not_found: {
    readonly when: 'No tool has that name.';
    readonly jsonRpcCode: -32601;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly schema: {
    readonly when: 'The arguments do not fit the schema of the tool.';
    readonly jsonRpcCode: -32602;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly idempotency_conflict: {
    readonly when: 'The idempotency key was used for another tool or other arguments.';
    readonly jsonRpcCode: -32602;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly recursion: {
    readonly when: 'The tool is already running in this chain of calls, or the chain is too long.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly budget_exceeded: {
    readonly when: 'The budget of calls is used up.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly denied: {
    readonly when: 'The call needs approval and did not get it.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly circuit_open: {
    readonly when: 'The tool failed repeatedly, and its circuit breaker is open.';
    readonly jsonRpcCode: -32603;
    readonly retryable: true;
    readonly isFault: false;
  };
  readonly timeout: {
    readonly when: 'An attempt exceeded its time limit.';
    readonly jsonRpcCode: -32603;
    readonly retryable: 'idempotent';
    readonly isFault: true;
  };
  readonly transient: {
    readonly when: 'The tool threw a TransientError, or its source was never started.';
    readonly jsonRpcCode: -32603;
    readonly retryable: true;
    readonly isFault: true;
  };
  readonly internal: {
    readonly when: 'The tool failed.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: true;
  };
  readonly output_schema: {
    readonly when: 'The result does not fit the output schema of the tool.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly unserializable: {
    readonly when: 'The arguments or the result are not data, such as a function, or are too large.';
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
  readonly aborted: {
    readonly when: "The caller's signal ended the call.";
    readonly jsonRpcCode: -32603;
    readonly retryable: false;
    readonly isFault: false;
  };
};
type DecideInFlight = (question: InFlightQuestion, context: {
  readonly signal: AbortSignal;
}) => InFlightDecision | Promise<InFlightDecision>;
interface DispatchApprovalEvent extends DispatchEvent {
  readonly state: 'asked' | 'answered';
}
interface DispatchAttemptEvent extends DispatchEvent {
  readonly attempt: number;
}
interface DispatchCommon {
  readonly attempts: number;
  readonly durationMs: number;
  readonly logs?: readonly LogEntry[];
}
interface DispatchEndEvent extends DispatchEvent {
  readonly ok: boolean;
  readonly kind: DispatchKind | undefined;
  readonly attempts: number;
  readonly cached: boolean;
  readonly durationMs: number;
}
interface DispatchError {
  readonly kind: DispatchKind;
  readonly code: number;
  readonly message: string;
  readonly attempts: number;
  readonly retryable: boolean;
  readonly faults?: readonly SchemaFault[];
  readonly name?: string;
  readonly toolCode?: string | number;
  readonly details?: unknown;
  readonly outcomeCode?: OutcomeCode;
  readonly path?: string;
}
interface DispatchEvent {
  readonly dispatchId: number;
  readonly tool: string;
}
interface DispatchEvents {
  readonly start: DispatchEvent;
  readonly attempt: DispatchAttemptEvent;
  readonly retry: DispatchRetryEvent;
  readonly approval: DispatchApprovalEvent;
  readonly end: DispatchEndEvent;
}
interface DispatchFailed extends DispatchCommon {
  readonly ok: false;
  readonly error: DispatchError;
}
type DispatchKind = keyof typeof DISPATCH_KINDS;
interface DispatchOk<T = unknown> extends DispatchCommon {
  readonly ok: true;
  readonly value: T;
  readonly cached: boolean;
}
interface DispatchRequest {
  readonly tool: string | RegisteredTool;
  readonly args?: unknown;
  readonly idempotencyKey?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: CallBudget | undefined;
  readonly approve?: Approve | undefined;
  readonly callId?: string | undefined;
  readonly parent?: ToolContext | undefined;
}
type DispatchResult<T = unknown> = DispatchOk<T> | DispatchFailed;
interface DispatchRetryEvent extends DispatchEvent {
  readonly attempt: number;
  readonly kind: DispatchKind;
  readonly delayMs: number;
}
export declare class Dispatcher {
  #private;
  constructor(options: DispatcherOptions);
  get registry(): ToolRegistry;
  dispatch<T = unknown>(request: DispatchRequest): Promise<DispatchResult<T>>;
}
interface DispatcherOptions {
  readonly registry: ToolRegistry;
  readonly executor?: ToolExecutor | undefined;
  readonly approve?: Approve | undefined;
  readonly maxAttempts?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly timeoutMs?: number | undefined;
  readonly cache?: Partial<CacheOptions> | undefined;
  readonly circuitBreaker?: Partial<CircuitBreakerOptions> | false | undefined;
  readonly telemetry?: TelemetryOptions | false | undefined;
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly random?: (() => number) | undefined;
}
interface EventJson {
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly ts: number;
}
export declare class Executor implements AsyncDisposable {
  #private;
  readonly quarantine: Quarantine | undefined;
  constructor(options?: ExecutorOptions);
  run<T = unknown>(options: RunOptions): Promise<Outcome<T>>;
  openSession(options?: SessionOptions): Promise<Session>;
  ready(): Promise<void>;
  stats(): PoolStats;
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface ExecutorOptions {
  readonly pool?: 'process' | 'thread' | WorkerPool | undefined;
  readonly hosts?: number | undefined;
  readonly slotsPerHost?: number | undefined;
  readonly spareHosts?: number | undefined;
  readonly minHosts?: number | undefined;
  readonly idleMs?: number | undefined;
  readonly preparedIsolates?: number | undefined;
  readonly limits?: z.input<typeof limitsSchema> | undefined;
  readonly features?: readonly (typeof OPTIONAL_GLOBALS)[number][] | undefined;
  readonly maxQueue?: number | undefined;
  readonly queueMs?: number | undefined;
  readonly maxSessions?: number | undefined;
  readonly runsPerHost?: number | undefined;
  readonly quarantine?: Partial<QuarantineOptions> | false | undefined;
  readonly jit?: boolean | undefined;
  readonly spawn?: SpawnHost | undefined;
}
export declare class FileSessionStore implements SessionStore {
  #private;
  constructor(options: FileSessionStoreOptions);
  create(sessionId: string, lines: readonly string[]): Promise<SessionWriter>;
  open(sessionId: string): Promise<SessionWriter>;
  read(sessionId: string): AsyncGenerator<string>;
}
interface FileSessionStoreOptions {
  readonly directory: string;
  readonly fsync?: 'always' | 'never' | undefined;
}
interface ForkOptions extends NewPlanSessionOptions {
  readonly plan?: readonly PlanStep[] | undefined;
}
type GatherPolicy = 'all' | 'settled' | 'race';
interface GatherStep extends StepBase {
  readonly gather: readonly SingleStep[];
  readonly policy?: GatherPolicy | undefined;
  readonly concurrency?: number | undefined;
}
interface GivenUp {
  readonly gaveUp: string;
}
export declare class GloveboxError extends Error {
  readonly name = "GloveboxError";
  readonly code: MisuseCode;
  readonly path: string | undefined;
  constructor(code: MisuseCode, message: string, options?: {
    path?: string;
    cause?: unknown;
  });
}
interface GuestErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string | number;
  readonly cause?: GuestErrorData;
}
type InFlightAction = 'run_again' | 'fail' | 'take_result';
type InFlightDecision = {
  readonly action: 'run_again';
} | {
  readonly action: 'fail';
} | {
  readonly action: 'take_result';
  readonly result: unknown;
};
interface InFlightQuestion {
  readonly sessionId: string;
  readonly stepId: number;
  readonly toolName: string;
  readonly args: unknown;
  readonly idempotencyKey: string;
}
interface Job {
  readonly code: string;
  readonly filename: string;
  readonly language: 'auto' | 'javascript' | 'typescript';
  readonly variables: string;
  readonly tools: readonly string[];
  readonly limits: Limits;
  readonly deterministic: {
    readonly now: number;
    readonly seed: number;
  } | null;
}
interface JobHandle {
  reply(callId: number, ok: boolean, text: string): void;
  stop(): void;
  kill(why: KillReason): void;
}
interface JobObserver {
  onStart(hostId: string, heldMs?: number): void;
  onLog(level: string, text: string): void;
  onCall(callId: number, tool: string, text: string): void;
  onEnd(end: PoolEnd): void;
}
interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Omit<DispatchError, 'code' | 'message'>;
}
interface JsonSchema {
  readonly [keyword: string]: unknown;
}
interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  readonly libraryOptions?: Record<string, unknown> | undefined;
}
type KillReason = 'limit' | 'abort' | 'breach';
declare const LIMITS: {
  readonly wallMs: {
    readonly unit: 'ms';
    readonly min: 1;
    readonly max: number;
    readonly default: 30000;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["executor", "pool", "slot"];
    readonly counts: 'Time since the start of the run; waiting for approvals does not count.';
  };
  readonly cpuMs: {
    readonly unit: 'ms';
    readonly min: 1;
    readonly max: number;
    readonly default: 30000;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["slot"];
    readonly counts: 'CPU time of the isolate; equal to `wallMs` by default.';
  };
  readonly memoryMb: {
    readonly unit: 'MiB';
    readonly min: 8;
    readonly max: 16384;
    readonly default: 128;
    readonly workerCap: 512;
    readonly enforcedBy: readonly ["slot", "pool"];
    readonly counts: 'V8 heap of the isolate; the host process has an outer cap above it.';
  };
  readonly sourceBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["executor"];
    readonly counts: 'The source, as UTF-8.';
  };
  readonly variablesBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["executor", "guest"];
    readonly counts: 'All variables together, as `safe:` text.';
  };
  readonly resultBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["guest", "executor"];
    readonly counts: 'The result, as `safe:` text.';
  };
  readonly logBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["guest", "executor"];
    readonly counts: 'Log text, plus 16 bytes per line; the rest is cut, and the run continues.';
  };
  readonly toolCalls: {
    readonly unit: 'calls';
    readonly min: 0;
    readonly max: 1000000;
    readonly default: 256;
    readonly workerCap: 100000;
    readonly enforcedBy: readonly ["guest", "executor"];
    readonly counts: 'Total number of tool calls.';
  };
  readonly toolCallsInFlight: {
    readonly unit: 'calls';
    readonly min: 1;
    readonly max: 10000;
    readonly default: 32;
    readonly workerCap: 1000;
    readonly enforcedBy: readonly ["guest"];
    readonly counts: 'Tool calls in flight at the same time; further calls wait in the guest.';
  };
  readonly toolArgBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["guest", "executor"];
    readonly counts: 'The arguments of one tool call, as `safe:` text.';
  };
  readonly toolResultBytes: {
    readonly unit: 'bytes';
    readonly min: 0;
    readonly max: number;
    readonly default: number;
    readonly workerCap: number;
    readonly enforcedBy: readonly ["executor", "guest"];
    readonly counts: 'The result of one tool call, as `safe:` text.';
  };
};
interface LaunchOptions {
  readonly jit?: boolean | undefined;
  readonly spawn?: SpawnHost | undefined;
}
type LimitName = keyof typeof LIMITS;
type Limits = { readonly [Name in keyof typeof LIMITS]: number; };
type LimitsInput = { readonly [Name in keyof typeof LIMITS]?: number | undefined; };
interface LogEntry {
  readonly level: LogLevel;
  readonly text: string;
  readonly at: number;
}
type LogLevel = 'debug' | 'info' | 'warn' | 'error';
declare const MISUSE: {
  readonly INVALID_OPTIONS: 'An option has the wrong type, unit or range.';
  readonly INVALID_NAME: 'A variable or tool has a name that guest code cannot use.';
  readonly UNSERIALIZABLE_VARIABLES: 'A variable contains a value that cannot be serialized exactly.';
  readonly EXECUTOR_CLOSED: 'The executor was closed.';
  readonly DUPLICATE_TOOL: 'The registry already has a tool of that name.';
  readonly UNKNOWN_TOOL: 'The registry has no tool of that name.';
  readonly INVALID_SCHEMA: "A tool's schema is invalid, or cannot be converted to JSON Schema.";
  readonly SESSION_LIMIT: 'The maximum number of sessions is already open.';
  readonly POOL_UNAVAILABLE: 'No host or thread could be started.';
  readonly PLAN_SESSION_EXISTS: 'The store already has a session of that name.';
  readonly PLAN_SESSION_UNKNOWN: 'The store has no session of that name.';
  readonly PLAN_SESSION_BUSY: 'Another process, or another run in this one, is writing the session.';
  readonly PLAN_LOG_CORRUPT: 'The log of the session is corrupt.';
  readonly AGENT_BUSY: 'The agent is working on another task.';
  readonly AGENT_FOLDER_INVALID: 'The folder of an agent is malformed, or contains something unexpected.';
  readonly AGENT_PARTS_MISSING: 'A saved agent needs models, tools or functions that were not given.';
};
export declare const MISUSE_CODES: Readonly<Record<MisuseCode, string>>;
type MisuseCode = keyof typeof MISUSE;
type NeedsApproval<Args> = (args: Args, context: ApprovalContext) => boolean | Promise<boolean>;
interface NewPlanSessionOptions extends PlanSessionOptions {
  readonly sessionId?: string | undefined;
  readonly metadata?: unknown;
}
declare const OPTIONAL_GLOBALS: readonly ['WebAssembly', 'SharedArrayBuffer', 'Atomics'];
export declare const OUTCOME_CODES: {
  readonly GUEST_ERROR: {
    readonly when: 'The code threw.';
    readonly retryable: false;
  };
  readonly SYNTAX_ERROR: {
    readonly when: 'The code does not compile.';
    readonly retryable: false;
  };
  readonly WALL_LIMIT: {
    readonly when: 'The run exceeded its wall time.';
    readonly retryable: false;
  };
  readonly CPU_LIMIT: {
    readonly when: 'The run exceeded its CPU time.';
    readonly retryable: false;
  };
  readonly MEMORY_LIMIT: {
    readonly when: 'The run used more memory than allowed.';
    readonly retryable: false;
  };
  readonly SOURCE_LIMIT: {
    readonly when: 'The source is larger than allowed.';
    readonly retryable: false;
  };
  readonly VARIABLES_LIMIT: {
    readonly when: 'The variables are larger than allowed.';
    readonly retryable: false;
  };
  readonly RESULT_LIMIT: {
    readonly when: 'The result is larger or deeper than allowed, or takes too long to read.';
    readonly retryable: false;
  };
  readonly TOOL_CALL_LIMIT: {
    readonly when: 'The code called tools more often than allowed.';
    readonly retryable: false;
  };
  readonly TOOL_DATA_LIMIT: {
    readonly when: 'The arguments or the result of a tool call are larger than allowed, or take too long to read.';
    readonly retryable: false;
  };
  readonly UNSERIALIZABLE_RESULT: {
    readonly when: 'The result contains a value that cannot be serialized.';
    readonly retryable: false;
  };
  readonly ABORTED: {
    readonly when: "The caller's signal, or closing the executor, ended the run.";
    readonly retryable: false;
  };
  readonly QUEUE_FULL: {
    readonly when: 'The queue of waiting runs is full.';
    readonly retryable: true;
  };
  readonly QUEUE_TIMEOUT: {
    readonly when: 'The run waited too long for a free slot.';
    readonly retryable: true;
  };
  readonly HOST_LOST: {
    readonly when: 'The host of the run died, or no host could be started.';
    readonly retryable: true;
  };
  readonly QUARANTINED: {
    readonly when: 'This code has repeatedly killed hosts within a short time.';
    readonly retryable: true;
  };
  readonly SESSION_UNKNOWN: {
    readonly when: 'The session was closed.';
    readonly retryable: false;
  };
  readonly SESSION_LOST: {
    readonly when: "The session's isolate died, and its state with it.";
    readonly retryable: false;
  };
  readonly PROTOCOL_ERROR: {
    readonly when: 'The other side violated the protocol and was killed.';
    readonly retryable: true;
  };
};
type Outcome<T = unknown> = OutcomeOk<T> | OutcomeFailed;
type OutcomeCode = keyof typeof OUTCOME_CODES;
interface OutcomeCommon {
  readonly logs: readonly LogEntry[];
  readonly usage: Usage;
}
interface OutcomeError {
  readonly code: OutcomeCode;
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly line?: number;
  readonly column?: number;
  readonly guestCode?: string | number;
  readonly cause?: unknown;
  readonly path?: string;
  readonly limit?: number;
  readonly used?: number;
  readonly ran: 'no' | 'yes' | 'maybe';
  readonly retryable: boolean;
}
interface OutcomeFailed extends OutcomeCommon {
  readonly ok: false;
  readonly error: OutcomeError;
}
interface OutcomeOk<T = unknown> extends OutcomeCommon {
  readonly ok: true;
  readonly value: T;
}
export declare const PLAN_EVENTS: {
  readonly 'plan.draft': 'A plan was made that has not taken effect yet.';
  readonly 'plan.diff': 'The draft was compared with the remaining steps of the plan before.';
  readonly 'plan.approval': 'A person was asked about the draft, and answered.';
  readonly 'plan.commit': 'A plan takes effect.';
  readonly 'gather.start': 'Branches are about to run in parallel.';
  readonly 'step.start': 'A call is about to start.';
  readonly 'step.cached': 'A step reuses the result of an earlier one, without a call.';
  readonly 'step.end': 'A call has ended.';
  readonly 'gather.end': 'The policy of a gather has decided, and no branch is running.';
  readonly 'session.resume': 'A session continues that was stopped, or whose process died.';
  readonly 'session.complete': 'The session has ended; the last event, unless it is resumed.';
};
type PauseWallClock = <T>(wait: () => Promise<T>) => Promise<T>;
interface PlanApprovalRequest {
  readonly sessionId: string;
  readonly goal: string;
  readonly revision: number;
  readonly steps: readonly PlanStep[];
  readonly diff: PlanDiff | undefined;
  readonly history: readonly StepRecord[];
  readonly lastError: string | null;
  readonly resultIds: readonly number[];
}
type PlanDecision = {
  readonly decision: 'approve';
} | {
  readonly decision: 'reject';
  readonly reason?: string | undefined;
} | {
  readonly decision: 'edit';
  readonly steps: readonly PlanStep[];
};
interface PlanDiff {
  readonly revision: number;
  readonly source: PlanSource;
  readonly removed: readonly number[];
  readonly added: readonly number[];
  readonly revised: readonly number[];
  readonly moved: readonly number[];
  readonly outcomeChanged: readonly number[];
}
type PlanEvent = PlanEventBody & {
  readonly seq: number;
  readonly ts: number;
};
type PlanEventBody = { readonly [Type in PlanEventType]: {
  readonly type: Type;
  readonly payload: PlanEventPayloads[Type];
}; }[PlanEventType];
interface PlanEventPayloads {
  readonly 'plan.draft': {
    readonly revision: number;
    readonly source: PlanSource;
    readonly steps: readonly PlanStep[];
  };
  readonly 'plan.diff': PlanDiff;
  readonly 'plan.approval': {
    readonly revision: number;
    readonly decision: 'approve' | 'reject' | 'edit';
    readonly reason?: string | undefined;
  };
  readonly 'plan.commit': {
    readonly revision: number;
    readonly steps: readonly PlanStep[];
  };
  readonly 'gather.start': {
    readonly stepId: number;
    readonly policy: GatherPolicy;
    readonly branches: readonly number[];
  };
  readonly 'step.start': {
    readonly stepId: number;
    readonly toolName: string;
    readonly gatherId?: number | undefined;
    readonly signature: string;
    readonly again?: boolean | undefined;
  };
  readonly 'step.cached': {
    readonly stepId: number;
    readonly toolName: string;
    readonly gatherId?: number | undefined;
    readonly signature: string;
    readonly fromStepId: number;
  };
  readonly 'step.end': {
    readonly stepId: number;
    readonly gatherId?: number | undefined;
    readonly outcome: 'ok' | 'error' | 'cancelled' | 'aborted';
    readonly result?: unknown;
    readonly error?: string | undefined;
    readonly failure?: StepFailure | undefined;
  };
  readonly 'gather.end': {
    readonly stepId: number;
    readonly outcome: 'ok' | 'error';
    readonly winner?: number | undefined;
    readonly error?: string | undefined;
  };
  readonly 'session.resume': {
    readonly inFlight: readonly {
      readonly stepId: number;
      readonly action: InFlightAction;
    }[];
  };
  readonly 'session.complete': {
    readonly status: SessionStatus;
    readonly reason: SessionReason;
    readonly message?: string | undefined;
  };
}
type PlanEventType = keyof PlanEventPayloads;
export declare class PlanExecuteAgent {
  #private;
  constructor(options: PlanExecuteAgentOptions);
  run(goal: string, options?: NewPlanSessionOptions): Promise<SessionResult>;
  resume(sessionId: string, options?: PlanSessionOptions): Promise<SessionResult>;
  fork(sessionId: string, stepId: number, options?: ForkOptions): Promise<SessionResult>;
}
interface PlanExecuteAgentOptions {
  readonly planner: Planner;
  readonly dispatcher: ToolDispatcher;
  readonly maxSteps?: number | undefined;
  readonly maxReplans?: number | undefined;
  readonly concurrency?: number | undefined;
  readonly store?: SessionStore | undefined;
  readonly approve?: ApprovePlan | undefined;
  readonly decideInFlight?: DecideInFlight | undefined;
  readonly now?: (() => number) | undefined;
  readonly newSessionId?: (() => string) | undefined;
}
interface PlanSessionOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: ((event: PlanEvent) => void) | undefined;
  readonly approve?: ApprovePlan | undefined;
  readonly decideInFlight?: DecideInFlight | undefined;
}
type PlanSource = 'planner' | 'person';
type PlanStep = SingleStep | GatherStep;
type Planner = (goal: string, history: readonly StepRecord[], lastError: string | null, context: PlannerContext) => readonly PlanStep[] | GivenUp | Promise<readonly PlanStep[] | GivenUp>;
interface PlannerContext {
  readonly signal: AbortSignal;
  readonly sessionId: string;
  readonly remainingSteps: number;
  readonly remainingReplans: number;
  readonly resultIds: readonly number[];
}
type PoolEnd = {
  readonly type: 'outcome';
  readonly outcome: SlotOutcome;
} | PoolFailure;
interface PoolFailure {
  readonly type: 'failure';
  readonly code: OutcomeCode;
  readonly message: string;
  readonly ran: 'no' | 'yes' | 'maybe';
  readonly limit?: number;
  readonly used?: number;
  readonly cause?: unknown;
}
interface PoolSession {
  readonly hostId: string;
  submit(job: Job, observer: JobObserver): JobHandle;
  close(): Promise<void>;
}
interface PoolStats {
  readonly kind: string;
  readonly hosts: number;
  readonly spareHosts: number;
  readonly busySlots: number;
  readonly freeSlots: number;
  readonly queued: number;
  readonly sessions: number;
  readonly hostsLost: number;
  readonly hostsRecycled: number;
  readonly degraded: string | undefined;
}
export declare class ProcessPool implements WorkerPool {
  #private;
  readonly kind = "process";
  constructor(given?: Partial<ProcessPoolOptions>);
  submit(job: Job, observer: JobObserver): JobHandle;
  openSession(memoryMb: number): Promise<PoolSession>;
  ready(): Promise<void>;
  stats(): PoolStats;
  nested(): ProcessPool;
  close(): Promise<void>;
}
interface ProcessPoolOptions extends QueueOptions {
  readonly hosts: number;
  readonly slotsPerHost: number;
  readonly spareHosts: number;
  readonly minHosts: number;
  readonly idleMs: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  readonly maxSessions: number;
  readonly launch: LaunchOptions;
  readonly memoryWatch: 'proc' | 'report';
  readonly runsPerHost: number;
  readonly onKill: (code: string) => void;
}
declare class Quarantine {
  #private;
  constructor(options: QuarantineOptions);
  record(code: string): void;
  recordHash(hash: string): void;
  find(code: string): QuarantineEntry | undefined;
  list(): QuarantineEntry[];
  clear(hash?: string): void;
}
interface QuarantineEntry {
  readonly hash: string;
  readonly kills: number;
  readonly until: number | undefined;
}
interface QuarantineOptions {
  readonly kills: number;
  readonly withinMs: number;
  readonly forMs: number;
}
interface QueueOptions {
  readonly maxQueue: number;
  readonly queueMs: number;
}
type ReadPlan = {
  readonly ok: true;
  readonly plan: readonly PlanStep[];
} | {
  readonly ok: false;
  readonly message: string;
};
interface RegisterOptions {
  readonly override?: boolean;
}
interface RegisteredTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly definition: AnyTool;
  readonly inputJsonSchema: JsonSchema | undefined;
  readonly outputJsonSchema: JsonSchema | undefined;
  validateInput(value: unknown): Validation | Promise<Validation>;
  validateOutput(value: unknown): Validation | Promise<Validation>;
}
interface ResultReference {
  readonly $result: number;
  readonly path?: string;
}
interface RunOptions {
  readonly code: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly tools?: Tools | undefined;
  readonly limits?: LimitsInput | undefined;
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  readonly filename?: string | undefined;
  readonly deterministic?: {
    readonly now: number | Date;
    readonly seed: number;
  } | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onLog?: ((entry: LogEntry) => void) | undefined;
}
export declare const SESSION_REASONS: {
  readonly goal_met: {
    readonly when: 'Every step of the plan is done.';
    readonly status: 'completed';
    readonly resumable: false;
  };
  readonly no_plan: {
    readonly when: 'The planner returned an empty plan.';
    readonly status: 'failed';
    readonly resumable: false;
  };
  readonly step_budget: {
    readonly when: 'The next steps would exceed `maxSteps`.';
    readonly status: 'failed';
    readonly resumable: false;
  };
  readonly replan_budget: {
    readonly when: 'A step failed, and the planner has already made `maxReplans` new plans.';
    readonly status: 'failed';
    readonly resumable: false;
  };
  readonly gave_up: {
    readonly when: 'The planner said that the goal cannot be met.';
    readonly status: 'failed';
    readonly resumable: false;
  };
  readonly bad_plan: {
    readonly when: 'The planner or a person gave an invalid plan.';
    readonly status: 'failed';
    readonly resumable: true;
  };
  readonly rejected: {
    readonly when: 'A person rejected the plan.';
    readonly status: 'failed';
    readonly resumable: false;
  };
  readonly aborted: {
    readonly when: "The caller's signal stopped the session.";
    readonly status: 'interrupted';
    readonly resumable: true;
  };
  readonly stopped: {
    readonly when: 'The process died, or the session is still running; only replays have this reason.';
    readonly status: 'interrupted';
    readonly resumable: true;
  };
  readonly planner_error: {
    readonly when: 'The planner threw.';
    readonly status: 'failed';
    readonly resumable: true;
  };
  readonly approval_error: {
    readonly when: 'Asking a person for a decision failed.';
    readonly status: 'failed';
    readonly resumable: true;
  };
  readonly store_error: {
    readonly when: 'The log could not be written.';
    readonly status: 'failed';
    readonly resumable: true;
  };
  readonly internal_error: {
    readonly when: 'The agent itself failed: an error in this package.';
    readonly status: 'failed';
    readonly resumable: true;
  };
};
declare const SLOT_ENDS: readonly ['value', 'failure', 'syntax', 'stopped', 'cpu', 'memory', 'session-lost'];
interface SchemaFault {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}
export declare class Session implements AsyncDisposable {
  #private;
  constructor(slot: PoolSession, start: (options: RunOptions, submit: Submit) => Promise<Outcome>, onClose: () => void);
  get hostId(): string;
  run<T = unknown>(options: RunOptions): Promise<Outcome<T>>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface SessionJson {
  readonly session_id: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string | null;
  readonly history: readonly StepJson[];
  readonly revisions: readonly Record<string, unknown>[];
  readonly events: readonly EventJson[];
}
interface SessionOptions {
  readonly tools?: Tools | undefined;
  readonly limits?: LimitsInput | undefined;
}
type SessionReason = keyof typeof SESSION_REASONS;
interface SessionResult {
  readonly sessionId: string;
  readonly goal: string;
  readonly maxSteps: number;
  readonly maxReplans: number;
  readonly metadata: unknown;
  readonly forkedFrom: {
    readonly sessionId: string;
    readonly stepId: number;
  } | undefined;
  readonly status: SessionStatus;
  readonly reason: SessionReason;
  readonly message: string | undefined;
  readonly resumable: boolean;
  readonly history: readonly StepRecord[];
  readonly revisions: readonly PlanDiff[];
  readonly events: readonly PlanEvent[];
  toJSON(): SessionJson;
}
type SessionStatus = 'completed' | 'failed' | 'interrupted';
interface SessionStore {
  create(sessionId: string, lines: readonly string[]): Promise<SessionWriter>;
  open(sessionId: string): Promise<SessionWriter>;
  read(sessionId: string): AsyncIterable<string>;
}
interface SessionWriter {
  append(line: string): Promise<void>;
  close(): Promise<void>;
}
type Shape = { readonly [Name in LimitName]: z.ZodOptional<z.ZodNumber>; };
type SingleStep = ToolStep | CodeStep;
interface SingleStepBase extends StepBase {
  readonly args?: unknown;
  readonly reuse?: boolean | undefined;
}
interface SlotOutcome {
  readonly end: (typeof SLOT_ENDS)[number];
  readonly text: string;
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly condemned: boolean;
}
interface SlotSettings {
  readonly memoryMb: number;
  readonly features: readonly string[];
  readonly prepared: number;
  readonly session: boolean;
}
type SpawnHost = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;
export declare class SqliteSessionStore implements SessionStore, Disposable {
  #private;
  constructor(options: SqliteSessionStoreOptions);
  create(sessionId: string, lines: readonly string[]): Promise<SessionWriter>;
  open(sessionId: string): Promise<SessionWriter>;
  read(sessionId: string): AsyncGenerator<string>;
  close(): void;
  [Symbol.dispose](): void;
}
interface SqliteSessionStoreOptions {
  readonly file: string;
  readonly fsync?: 'always' | 'never' | undefined;
}
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | {
    readonly key: PropertyKey;
  })[] | undefined;
}
type StandardResult = {
  readonly value: unknown;
  readonly issues?: undefined;
} | {
  readonly issues: readonly StandardIssue[];
};
interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}
interface StandardSchemaWithJson<Output = unknown> extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & {
    readonly types?: {
      readonly input: unknown;
      readonly output: Output;
    } | undefined;
    readonly jsonSchema: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}
interface StepBase {
  readonly id: number;
  readonly expectedOutcome?: string | undefined;
}
interface StepFailure extends Omit<DispatchError, 'kind' | 'code' | 'attempts' | 'retryable'> {
  readonly kind: DispatchKind | 'reference' | 'in_flight' | 'cancelled';
}
interface StepJson {
  readonly id: number;
  readonly tool: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly error: string | null;
}
interface StepRecord {
  readonly id: number;
  readonly toolName: string;
  readonly args: unknown;
  readonly expectedOutcome: string | undefined;
  readonly code?: string;
  readonly uses?: readonly string[];
  readonly result: unknown;
  readonly error: string | null;
  readonly failure?: StepFailure;
  readonly cached: boolean;
  readonly revision: number;
}
type Submit = (job: Job, observer: JobObserver) => JobHandle;
interface TelemetryOptions {
  readonly recordArguments?: boolean | undefined;
  readonly recordResults?: boolean | undefined;
}
export declare class ThreadPool implements WorkerPool {
  #private;
  readonly kind = "thread";
  constructor(given?: Partial<ThreadPoolOptions>);
  submit(job: Job, observer: JobObserver): JobHandle;
  openSession(memoryMb: number): Promise<PoolSession>;
  ready(): Promise<void>;
  stats(): PoolStats;
  nested(): ThreadPool;
  close(): Promise<void>;
}
interface ThreadPoolOptions extends QueueOptions {
  readonly threads: number;
  readonly slot: Omit<SlotSettings, 'session'>;
  readonly maxSessions: number;
}
export declare class ToolCallError extends Error {
  readonly name: string;
  readonly code: string | number;
  readonly details: unknown;
  readonly failure: DispatchError;
  constructor(failure: DispatchError);
}
interface ToolContext {
  readonly signal: AbortSignal;
  readonly tool: string;
  readonly callId: number;
  readonly pauseWallClock: PauseWallClock;
  readonly idempotencyKey?: string | undefined;
}
interface ToolDefinition {
  readonly execute: ToolFunction;
  readonly description?: string | undefined;
  readonly inputSchema?: StandardSchema | undefined;
}
interface ToolDefinitionBase {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: ToolSchema | undefined;
  readonly outputSchema?: ToolSchema | undefined;
  readonly idempotent?: boolean | undefined;
  readonly needsApproval?: boolean | NeedsApproval<unknown> | undefined;
  readonly timeoutMs?: number | undefined;
}
type ToolDispatcher = Pick<Dispatcher, 'dispatch' | 'registry'>;
type ToolExecutor = Pick<Executor, 'run'>;
type ToolFunction = (input: never, context: ToolContext) => unknown;
export declare class ToolRegistry {
  #private;
  register<Args>(definition: TypedTool<Args>, options?: RegisterOptions): RegisteredTool;
  register(definition: AnyTool, options?: RegisterOptions): RegisteredTool;
  get(name: string): RegisteredTool;
  find(name: string): RegisteredTool | undefined;
  list(): readonly RegisteredTool[];
  get names(): readonly string[];
}
type ToolSchema = StandardSchemaWithJson | JsonSchema;
interface ToolStep extends SingleStepBase {
  readonly toolName: string;
}
type Tools = Readonly<Record<string, ToolFunction | ToolDefinition>>;
export declare class TransientError extends Error {
  readonly name: string;
  readonly code: string | number | undefined;
  readonly details: unknown;
  constructor(message: string, options?: {
    code?: string | number;
    details?: unknown;
    cause?: unknown;
  });
}
interface TrustedTool extends ToolDefinitionBase {
  readonly execute: (args: never, context: ToolContext) => unknown;
}
interface TypedTool<Args> extends Omit<TrustedTool, 'inputSchema' | 'needsApproval' | 'execute'> {
  readonly inputSchema: StandardSchemaWithJson<Args>;
  readonly needsApproval?: boolean | NeedsApproval<Args> | undefined;
  readonly execute: (args: Args, context: ToolContext) => unknown;
}
interface UntrustedTool extends ToolDefinitionBase {
  readonly source: string;
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  readonly limits?: LimitsInput | undefined;
  readonly uses?: readonly string[] | undefined;
}
interface Usage {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly queueMs: number;
  readonly heapBytes: number;
  readonly toolCalls: number;
  readonly resultBytes: number;
  readonly logBytes: number;
  readonly hostId: string;
}
type Validation = {
  readonly ok: true;
  readonly value: unknown;
} | {
  readonly ok: false;
  readonly faults: readonly SchemaFault[];
};
interface WorkerPool {
  readonly kind: string;
  submit(job: Job, observer: JobObserver): JobHandle;
  openSession(memoryMb: number): Promise<PoolSession>;
  ready(): Promise<void>;
  stats(): PoolStats;
  nested?(): WorkerPool;
  close(): Promise<void>;
}
export declare function createCodeTool(options: CodeToolOptions): CodeTool;
export declare function createGuestTools(dispatcher: CanDispatch, names: readonly string[], parent?: ToolContext): Tools;
export declare function diffPlans(before: readonly PlanStep[], after: readonly PlanStep[]): Omit<PlanDiff, 'revision' | 'source'>;
export declare function isGloveboxError(value: unknown): value is GloveboxError;
declare const limitsSchema: z.ZodObject<Shape, z.core.$strict>;
export declare function nestContext(inner: ToolContext, outer: ToolContext | undefined): ToolContext;
export declare function readPlan(value: unknown, known?: Iterable<number>): ReadPlan;
export declare function replaySession(store: Pick<SessionStore, 'read'>, sessionId: string): Promise<SessionResult>;
export declare function toJsonRpcError({ code, message, ...data }: DispatchError): JsonRpcError;
export declare function toolTypes(tools: Iterable<RegisteredTool>): string;
export type {
  AnyTool,
  ApprovalContext,
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  ApprovePlan,
  CallBudget,
  CloseOptions,
  CodeCallOptions,
  CodeStep,
  CodeTool,
  CodeToolInput,
  CodeToolOptions,
  CodeToolResult,
  DecideInFlight,
  DispatchApprovalEvent,
  DispatchAttemptEvent,
  DispatchEndEvent,
  DispatchError,
  DispatchEvents,
  DispatchFailed,
  DispatchKind,
  DispatchOk,
  DispatchRequest,
  DispatchResult,
  DispatchRetryEvent,
  DispatcherOptions,
  ExecutorOptions,
  FileSessionStoreOptions,
  ForkOptions,
  GatherPolicy,
  GatherStep,
  GivenUp,
  GuestErrorData,
  InFlightAction,
  InFlightDecision,
  InFlightQuestion,
  JobHandle,
  JobObserver,
  JsonRpcError,
  JsonSchema,
  KillReason,
  Limits,
  LimitsInput,
  LogEntry,
  LogLevel,
  MisuseCode,
  NewPlanSessionOptions,
  Outcome,
  OutcomeCode,
  OutcomeError,
  OutcomeFailed,
  OutcomeOk,
  PauseWallClock,
  PlanApprovalRequest,
  PlanDecision,
  PlanDiff,
  PlanEvent,
  PlanEventBody,
  PlanEventPayloads,
  PlanEventType,
  PlanExecuteAgentOptions,
  PlanSessionOptions,
  PlanSource,
  PlanStep,
  Planner,
  PlannerContext,
  PoolEnd,
  PoolFailure,
  PoolSession,
  PoolStats,
  ProcessPoolOptions,
  Quarantine,
  QuarantineEntry,
  QuarantineOptions,
  ReadPlan,
  RegisterOptions,
  RegisteredTool,
  ResultReference,
  RunOptions,
  SchemaFault,
  SessionJson,
  SessionOptions,
  SessionReason,
  SessionResult,
  SessionStatus,
  SessionStore,
  SessionWriter,
  SingleStep,
  SqliteSessionStoreOptions,
  StandardSchema,
  StandardSchemaWithJson,
  StepFailure,
  StepRecord,
  ThreadPoolOptions,
  ToolContext,
  ToolDefinition,
  ToolFunction,
  ToolSchema,
  ToolStep,
  Tools,
  TrustedTool,
  TypedTool,
  UntrustedTool,
  Usage,
  Validation,
  WorkerPool,
};
