export type { Approve, ApprovalDecision, ApprovalRequest } from './dispatch/approval.ts';
export { Dispatcher } from './dispatch/dispatcher.ts';
export type { DispatcherOptions } from './dispatch/dispatcher-options.ts';
export { DISPATCH_CHANNELS } from './dispatch/events.ts';
export type {
  DispatchApprovalEvent,
  DispatchAttemptEvent,
  DispatchEndEvent,
  DispatchEvents,
  DispatchRetryEvent,
} from './dispatch/events.ts';
export { createGuestTools } from './dispatch/guest-tools.ts';
export { DISPATCH_KINDS } from './dispatch/kinds.ts';
export type { DispatchKind } from './dispatch/kinds.ts';
export { nestContext } from './dispatch/nest-context.ts';
export type { CallBudget, DispatchRequest } from './dispatch/request.ts';
export { toJsonRpcError } from './dispatch/result.ts';
export type {
  DispatchError,
  DispatchFailed,
  DispatchOk,
  DispatchResult,
  JsonRpcError,
} from './dispatch/result.ts';
export { ToolCallError } from './dispatch/tool-call-error.ts';
export { TransientError } from './dispatch/transient-error.ts';
export { GloveboxError, isGloveboxError, MISUSE_CODES, OUTCOME_CODES } from './errors.ts';
export type { MisuseCode, OutcomeCode } from './errors.ts';
export { Executor } from './executor.ts';
export type { CloseOptions, RunOptions, SessionOptions } from './executor.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export type { Limits, LimitsInput } from './limits.ts';
export type { ExecutorOptions } from './options.ts';
export type {
  GuestErrorData,
  LogEntry,
  LogLevel,
  Outcome,
  OutcomeError,
  OutcomeFailed,
  OutcomeOk,
  Usage,
} from './outcome.ts';
export { PlanExecuteAgent } from './plan/agent.ts';
export type {
  ForkOptions,
  NewPlanSessionOptions,
  PlanExecuteAgentOptions,
  PlanSessionOptions,
} from './plan/agent-options.ts';
export type { ApprovePlan, PlanApprovalRequest, PlanDecision } from './plan/approval.ts';
export { diffPlans } from './plan/diff.ts';
export type { PlanDiff, PlanSource } from './plan/diff.ts';
export { PLAN_EVENTS } from './plan/events.ts';
export type {
  InFlightAction,
  PlanEvent,
  PlanEventBody,
  PlanEventPayloads,
  PlanEventType,
} from './plan/events.ts';
export type { StepFailure } from './plan/failure.ts';
export { FileSessionStore } from './plan/file-store.ts';
export type { FileSessionStoreOptions } from './plan/file-store.ts';
export type { DecideInFlight, InFlightDecision, InFlightQuestion } from './plan/in-flight.ts';
export { readPlan } from './plan/planner.ts';
export type { GivenUp, Planner, PlannerContext, ReadPlan } from './plan/planner.ts';
export { SESSION_REASONS } from './plan/reasons.ts';
export type { SessionReason, SessionStatus } from './plan/reasons.ts';
export type { StepRecord } from './plan/records.ts';
export type { ResultReference } from './plan/references.ts';
export { replaySession } from './plan/replay.ts';
export type { SessionResult } from './plan/result.ts';
export type { SessionJson } from './plan/session-json.ts';
export type { SessionStore, SessionWriter } from './plan/session-log.ts';
export { SqliteSessionStore } from './plan/sqlite-store.ts';
export type { SqliteSessionStoreOptions } from './plan/sqlite-store.ts';
export type {
  CodeStep,
  GatherPolicy,
  GatherStep,
  PlanStep,
  SingleStep,
  ToolStep,
} from './plan/steps.ts';
export type {
  JobHandle,
  JobObserver,
  KillReason,
  PoolEnd,
  PoolFailure,
  PoolSession,
  PoolStats,
  WorkerPool,
} from './pools/pool.ts';
export { ProcessPool } from './pools/process-pool.ts';
export type { ProcessPoolOptions } from './pools/process-pool.ts';
export { ThreadPool } from './pools/thread-pool.ts';
export type { ThreadPoolOptions } from './pools/thread-pool.ts';
export type { Quarantine, QuarantineEntry, QuarantineOptions } from './quarantine.ts';
export { Session } from './session.ts';
export { createCodeTool } from './tools/code-tool.ts';
export type {
  CodeCallOptions,
  CodeTool,
  CodeToolInput,
  CodeToolOptions,
  CodeToolResult,
} from './tools/code-tool.ts';
export type {
  AnyTool,
  ApprovalContext,
  JsonSchema,
  StandardSchemaWithJson,
  ToolSchema,
  TrustedTool,
  TypedTool,
  UntrustedTool,
} from './tools/definition.ts';
export { ToolRegistry } from './tools/registry.ts';
export type { RegisteredTool, RegisterOptions } from './tools/registry.ts';
export { toolTypes } from './tools/tool-types.ts';
export type { SchemaFault, Validation } from './tools/validation.ts';
export type { StandardSchema, ToolContext, ToolDefinition, ToolFunction, Tools } from './tools.ts';
export type { PauseWallClock } from './wall-clock.ts';
