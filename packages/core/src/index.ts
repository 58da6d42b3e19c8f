export type { Approve, ApprovalDecision, ApprovalRequest } from './dispatch/tool-approval.ts';
export { Dispatcher } from './dispatch/dispatcher.ts';
export type { DispatcherOptions } from './dispatch/dispatcher-options.ts';
export { DISPATCH_CHANNELS } from './dispatch/dispatch-events.ts';
export type {
  DispatchApprovalEvent,
  DispatchAttemptEvent,
  DispatchEndEvent,
  DispatchEvents,
  DispatchRetryEvent,
} from './dispatch/dispatch-events.ts';
export { createGuestTools } from './dispatch/guest-tools.ts';
export { DISPATCH_KINDS } from './dispatch/dispatch-kinds.ts';
export type { DispatchKind } from './dispatch/dispatch-kinds.ts';
export { nestContext } from './dispatch/nest-context.ts';
export type { CallBudget, DispatchRequest } from './dispatch/dispatch-request.ts';
export { toJsonRpcError } from './dispatch/dispatch-result.ts';
export type {
  DispatchError,
  DispatchFailed,
  DispatchOk,
  DispatchResult,
  JsonRpcError,
} from './dispatch/dispatch-result.ts';
export { ToolCallError } from './dispatch/tool-call-error.ts';
export { TransientError } from './dispatch/transient-error.ts';
export { GloveboxError, isGloveboxError, MISUSE_CODES, OUTCOME_CODES } from './shared/errors.ts';
export type { MisuseCode, OutcomeCode } from './shared/errors.ts';
export { Executor } from './executor/executor.ts';
export type { CloseOptions } from './executor/executor.ts';
export type { RunOptions, SessionOptions } from './executor/run-options.ts';
export type { GuestErrorData } from '@glovebox/protocol/error-data';
export { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
export type { Limits, LimitsInput } from '@glovebox/protocol/limits';
export type { ExecutorOptions } from './executor/executor-options.ts';
export type {
  LogEntry,
  LogLevel,
  Outcome,
  OutcomeError,
  OutcomeFailed,
  OutcomeOk,
  Usage,
} from './executor/outcome.ts';
export { PlanExecuteAgent } from './plan-execute/plan-execute-agent.ts';
export type {
  ForkOptions,
  NewPlanSessionOptions,
  PlanExecuteAgentOptions,
  PlanSessionOptions,
} from './plan-execute/plan-agent-options.ts';
export type {
  ApprovePlan,
  PlanApprovalRequest,
  PlanDecision,
} from './plan-execute/plan-approval.ts';
export { diffPlans } from './plan-execute/diff.ts';
export type { PlanDiff, PlanSource } from './plan-execute/diff.ts';
export { PLAN_EVENTS } from './plan-execute/plan-events.ts';
export type {
  InFlightAction,
  PlanEvent,
  PlanEventBody,
  PlanEventPayloads,
  PlanEventType,
} from './plan-execute/plan-events.ts';
export type { StepFailure } from './plan-execute/step-failure.ts';
export { FileSessionStore } from './plan-execute/file-store.ts';
export type { FileSessionStoreOptions } from './plan-execute/file-store.ts';
export type {
  DecideInFlight,
  InFlightDecision,
  InFlightQuestion,
} from './plan-execute/in-flight.ts';
export { readPlan } from './plan-execute/planner.ts';
export type { GivenUp, Planner, PlannerContext, ReadPlan } from './plan-execute/planner.ts';
export { SESSION_REASONS } from './plan-execute/session-reasons.ts';
export type { SessionReason, SessionStatus } from './plan-execute/session-reasons.ts';
export type { StepRecord } from './plan-execute/step-records.ts';
export type { ResultReference } from './plan-execute/references.ts';
export { replaySession } from './plan-execute/replay-session.ts';
export type { SessionResult } from './plan-execute/session-result.ts';
export type { SessionJson } from './plan-execute/session-json.ts';
export type { SessionStore, SessionWriter } from './plan-execute/session-log.ts';
export { SqliteSessionStore } from './plan-execute/sqlite-store.ts';
export type { SqliteSessionStoreOptions } from './plan-execute/sqlite-store.ts';
export type {
  CodeStep,
  GatherPolicy,
  GatherStep,
  PlanStep,
  SingleStep,
  ToolStep,
} from './plan-execute/plan-steps.ts';
export type {
  JobHandle,
  JobObserver,
  KillReason,
  PoolEnd,
  PoolFailure,
  PoolSession,
  PoolStats,
  WorkerPool,
} from './pools/worker-pool.ts';
export { ProcessPool } from './pools/process/process-pool.ts';
export type { ProcessPoolOptions } from './pools/process/process-pool.ts';
export { ThreadPool } from './pools/thread/thread-pool.ts';
export type { ThreadPoolOptions } from './pools/thread/thread-pool.ts';
export type { Quarantine, QuarantineEntry, QuarantineOptions } from './pools/quarantine.ts';
export { Session } from './executor/session.ts';
export { createCodeTool } from './code-mode/code-tool.ts';
export type {
  CodeCallOptions,
  CodeTool,
  CodeToolInput,
  CodeToolOptions,
  CodeToolResult,
} from './code-mode/code-tool.ts';
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
export { ToolRegistry } from './tools/tool-registry.ts';
export type { RegisteredTool, RegisterOptions } from './tools/tool-registry.ts';
export { toolTypes } from './tools/tool-types.ts';
export type { SchemaFault, Validation } from './tools/validation.ts';
export type {
  StandardSchema,
  ToolContext,
  ToolDefinition,
  ToolFunction,
  Tools,
} from './executor/run-tools.ts';
export type { PauseWallClock } from './executor/wall-clock.ts';
