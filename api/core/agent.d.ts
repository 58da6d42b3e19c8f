// The types of @glovebox/core/agent, written by `npx -y pnpm run api`; not to be edited.
// Declarations that index.d.ts has as well are left out.
import {
  LanguageModel,
} from "ai";
import {
  ChildProcess,
  SpawnOptions,
} from "node:child_process";
import {
  z,
} from "zod";
export declare const AGENT_REASONS: {
  readonly answered: {
    readonly when: 'The code called `finalAnswer`.';
    readonly status: 'completed';
  };
  readonly max_steps: {
    readonly when: 'There was no answer after `maxSteps`; `answer` is a text of the model instead.';
    readonly status: 'failed';
  };
  readonly token_budget: {
    readonly when: 'The model used `maxTokens` or more.';
    readonly status: 'failed';
  };
  readonly interrupted: {
    readonly when: '`interrupt` was called; `cause` is its reason.';
    readonly status: 'interrupted';
  };
  readonly aborted: {
    readonly when: "The caller's signal stopped the run; `cause` is its reason.";
    readonly status: 'interrupted';
  };
  readonly model_error: {
    readonly when: 'The call of the model failed; `cause` is the error.';
    readonly status: 'failed';
  };
  readonly callback_error: {
    readonly when: 'A callback threw; `cause` is the error.';
    readonly status: 'failed';
  };
  readonly box_error: {
    readonly when: 'The sandbox could not run code; `cause` is the error.';
    readonly status: 'failed';
  };
};
interface ActionStep extends ModelStep {
  type: 'action';
  stepNumber: number;
  code?: string | undefined;
  observation: string;
  error?: {
    code: string;
    message: string;
  } | undefined;
  isFinal: boolean;
}
type AgentEvent = {
  readonly type: 'text';
  readonly step: 'planning' | 'action' | 'final';
  readonly text: string;
} | {
  readonly type: 'step';
  readonly step: MemoryStep;
};
export declare class AgentMemory {
  systemPrompt: string;
  readonly steps: MemoryStep[];
  static from(steps: unknown): AgentMemory;
  reset(): void;
  toMessages(view?: MemoryView): AgentMessage[];
  fullSteps(): MemoryStep[];
  succinctSteps(): MemoryStep[];
  returnFullCode(): string;
  replay({ detailed }?: {
    readonly detailed?: boolean;
  }): string;
}
interface AgentMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
type AgentReason = keyof typeof AGENT_REASONS;
interface AgentResult<T = unknown> {
  readonly status: AgentStatus;
  readonly reason: AgentReason;
  readonly answer: T | undefined;
  readonly message: string;
  readonly cause: unknown;
  readonly stepCount: number;
  readonly usage: TokenUsage;
  readonly durationMs: number;
}
interface AgentRunOptions {
  readonly reset?: boolean | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly maxSteps?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly maxToolCalls?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly stream?: ((event: AgentEvent) => void) | undefined;
  readonly stepCallbacks?: CodeAgentOptions['stepCallbacks'];
  readonly parent?: ToolContext | undefined;
}
type AgentStatus = 'completed' | 'failed' | 'interrupted';
type CheckedAgentOptions = z.output<typeof codeAgentOptionsSchema>;
export declare class CodeAgent implements ManagedAgent, AsyncDisposable {
  #private;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly memory: AgentMemory;
  constructor(options: CodeAgentOptions);
  get options(): Readonly<CheckedAgentOptions>;
  get tools(): readonly RegisteredTool[];
  run<T = unknown>(task: string, options?: AgentRunOptions): Promise<AgentResult<T>>;
  interrupt(reason?: unknown): void;
  asTool(): TypedTool<ManagedTask>;
  save(directory: string): Promise<SavedAgent>;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
interface CodeAgentOptions {
  readonly model: LanguageModel;
  readonly modelSettings?: ModelSettings | undefined;
  readonly executor: Executor;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly dispatcher?: Dispatcher | undefined;
  readonly approve?: Approve | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly managedAgents?: readonly ManagedAgent[] | undefined;
  readonly planningInterval?: number | undefined;
  readonly maxSteps?: number | undefined;
  readonly instructions?: string | undefined;
  readonly stepCallbacks?: readonly StepCallback<ActionStep>[] | StepCallbacks | undefined;
  readonly finalAnswerChecks?: readonly FinalAnswerCheck[] | undefined;
  readonly promptTemplates?: PromptTemplatesInput | undefined;
  readonly limits?: LimitsInput | undefined;
  readonly maxObservationCharacters?: number | undefined;
  readonly memory?: AgentMemory | undefined;
}
type FinalAnswerCheck = (answer: unknown, memory: AgentMemory) => unknown;
interface FinalStep {
  type: 'final';
  reason: 'answered' | 'max_steps';
  answer: unknown;
}
interface HubOptions {
  readonly token?: string | undefined;
  readonly hubUrl?: string | undefined;
}
interface LoadAgentOptions {
  readonly executor: Executor;
  readonly models?: Readonly<Record<string, LanguageModel>> | undefined;
  readonly tools?: readonly AnyTool[] | undefined;
  readonly callbacks?: Readonly<Record<string, StepCallback<never>>> | undefined;
  readonly finalAnswerChecks?: Readonly<Record<string, FinalAnswerCheck>> | undefined;
  readonly approve?: Approve | undefined;
}
interface LoadFromHubOptions extends HubOptions, LoadAgentOptions {
  readonly revision?: string | undefined;
  readonly trustRemoteCode: boolean;
}
interface ManagedAgent {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly memory: AgentMemory;
  readonly options: Readonly<CheckedAgentOptions>;
  readonly tools: readonly RegisteredTool[];
  asTool(): TypedTool<ManagedTask>;
}
interface ManagedTask {
  readonly task: string;
  readonly variables?: Record<string, unknown> | undefined;
}
type MemoryStep = TaskStep | PlanningStep | ActionStep | FinalStep;
type MemoryView = 'full' | 'summary';
type ModelSettings = z.infer<typeof modelSettingsSchema>;
interface ModelStep {
  modelInput?: AgentMessage[] | undefined;
  modelOutput: string;
  isCut?: boolean | undefined;
  usage: TokenUsage;
  startedAt: number;
  durationMs: number;
}
type OneOrMore<T> = T | readonly T[];
interface PlanningStep extends ModelStep {
  type: 'planning';
  plan: string;
  isUpdate: boolean;
}
interface PromptTemplates {
  readonly system: string;
  readonly planning: {
    readonly initialPlan: string;
    readonly updatePlanBefore: string;
    readonly updatePlanAfter: string;
  };
  readonly managedAgent: {
    readonly task: string;
  };
  readonly finalAnswer: {
    readonly before: string;
    readonly after: string;
  };
}
type PromptTemplatesInput = z.input<typeof templatesSchema>;
interface PushToHubOptions extends HubOptions {
  readonly token: string;
  readonly private?: boolean | undefined;
  readonly message?: string | undefined;
}
interface PushedAgent {
  readonly revision: string;
  readonly url: string;
  readonly omitted: readonly string[];
}
interface SavedAgent {
  readonly files: readonly string[];
  readonly omitted: readonly string[];
}
type StepCallback<Step extends MemoryStep = MemoryStep> = (step: Step, context: StepContext) => unknown;
interface StepCallbacks {
  readonly code?: OneOrMore<StepCallback<ActionStep>> | undefined;
  readonly task?: OneOrMore<StepCallback<TaskStep>> | undefined;
  readonly planning?: OneOrMore<StepCallback<PlanningStep>> | undefined;
  readonly action?: OneOrMore<StepCallback<ActionStep>> | undefined;
  readonly final?: OneOrMore<StepCallback<FinalStep>> | undefined;
  readonly any?: OneOrMore<StepCallback> | undefined;
}
interface StepContext {
  readonly memory: AgentMemory;
  readonly signal: AbortSignal;
  readonly interrupt: (reason?: unknown) => void;
}
interface TaskStep {
  type: 'task';
  task: string;
  variables: string[];
}
interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}
declare const codeAgentOptionsSchema: z.ZodObject<{
  model: z.ZodCustom<LanguageModel, LanguageModel>;
  modelSettings: z.ZodDefault<z.ZodObject<{
    temperature: z.ZodExactOptional<z.ZodNumber>;
    topP: z.ZodExactOptional<z.ZodNumber>;
    seed: z.ZodExactOptional<z.ZodInt>;
    maxOutputTokens: z.ZodExactOptional<z.ZodInt>;
    maxRetries: z.ZodExactOptional<z.ZodInt>;
  }, z.core.$strict>>;
  executor: z.ZodCustom<Executor, Executor>;
  tools: z.ZodOptional<z.ZodArray<z.ZodCustom<AnyTool, AnyTool>>>;
  dispatcher: z.ZodOptional<z.ZodCustom<Dispatcher, Dispatcher>>;
  approve: z.ZodOptional<z.ZodCustom<Approve, Approve>>;
  name: z.ZodOptional<z.ZodString>;
  description: z.ZodOptional<z.ZodString>;
  managedAgents: z.ZodDefault<z.ZodArray<z.ZodCustom<ManagedAgent, ManagedAgent>>>;
  planningInterval: z.ZodOptional<z.ZodInt>;
  maxSteps: z.ZodDefault<z.ZodInt>;
  instructions: z.ZodDefault<z.ZodString>;
  stepCallbacks: z.ZodPipe<z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>, z.ZodTransform<{
    action: StepCallback<MemoryStep>[];
  }, StepCallback<MemoryStep>[]>>, z.ZodObject<{
    task: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
    planning: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
    code: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
    action: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
    final: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
    any: z.ZodDefault<z.ZodUnion<readonly [z.ZodPipe<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>, z.ZodTransform<StepCallback<MemoryStep>[], StepCallback<MemoryStep>>>, z.ZodArray<z.ZodCustom<StepCallback<MemoryStep>, StepCallback<MemoryStep>>>]>>;
  }, z.core.$strict>]>>, z.ZodTransform<Readonly<Record<"action" | "any" | "code" | "final" | "planning" | "task", readonly StepCallback<MemoryStep>[]>>, {
    task: StepCallback<MemoryStep>[];
    planning: StepCallback<MemoryStep>[];
    code: StepCallback<MemoryStep>[];
    action: StepCallback<MemoryStep>[];
    final: StepCallback<MemoryStep>[];
    any: StepCallback<MemoryStep>[];
  } | {
    action: StepCallback<MemoryStep>[];
  }>>;
  finalAnswerChecks: z.ZodDefault<z.ZodArray<z.ZodCustom<FinalAnswerCheck, FinalAnswerCheck>>>;
  promptTemplates: z.ZodPrefault<z.ZodObject<{
    system: z.ZodDefault<z.ZodString>;
    planning: z.ZodPrefault<z.ZodObject<{
      initialPlan: z.ZodDefault<z.ZodString>;
      updatePlanBefore: z.ZodDefault<z.ZodString>;
      updatePlanAfter: z.ZodDefault<z.ZodString>;
    }, z.core.$strict>>;
    managedAgent: z.ZodPrefault<z.ZodObject<{
      task: z.ZodDefault<z.ZodString>;
    }, z.core.$strict>>;
    finalAnswer: z.ZodPrefault<z.ZodObject<{
      before: z.ZodDefault<z.ZodString>;
      after: z.ZodDefault<z.ZodString>;
    }, z.core.$strict>>;
  }, z.core.$strict>>;
  limits: z.ZodOptional<z.ZodObject<{
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
  }, z.core.$strict>>;
  maxObservationCharacters: z.ZodDefault<z.ZodInt>;
  memory: z.ZodOptional<z.ZodInstanceOf<AgentMemory>>;
}, z.core.$strict>;
export declare function loadAgent(directory: string, options: LoadAgentOptions): Promise<CodeAgent>;
export declare function loadFromHub(repo: string, options: LoadFromHubOptions): Promise<CodeAgent>;
declare const modelSettingsSchema: z.ZodObject<{
  temperature: z.ZodExactOptional<z.ZodNumber>;
  topP: z.ZodExactOptional<z.ZodNumber>;
  seed: z.ZodExactOptional<z.ZodInt>;
  maxOutputTokens: z.ZodExactOptional<z.ZodInt>;
  maxRetries: z.ZodExactOptional<z.ZodInt>;
}, z.core.$strict>;
export declare function pushToHub(agent: CodeAgent, repo: string, options: PushToHubOptions): Promise<PushedAgent>;
declare const templatesSchema: z.ZodPrefault<z.ZodObject<{
  system: z.ZodDefault<z.ZodString>;
  planning: z.ZodPrefault<z.ZodObject<{
    initialPlan: z.ZodDefault<z.ZodString>;
    updatePlanBefore: z.ZodDefault<z.ZodString>;
    updatePlanAfter: z.ZodDefault<z.ZodString>;
  }, z.core.$strict>>;
  managedAgent: z.ZodPrefault<z.ZodObject<{
    task: z.ZodDefault<z.ZodString>;
  }, z.core.$strict>>;
  finalAnswer: z.ZodPrefault<z.ZodObject<{
    before: z.ZodDefault<z.ZodString>;
    after: z.ZodDefault<z.ZodString>;
  }, z.core.$strict>>;
}, z.core.$strict>>;
export type {
  ActionStep,
  AgentEvent,
  AgentMessage,
  AgentReason,
  AgentResult,
  AgentRunOptions,
  AgentStatus,
  CodeAgentOptions,
  FinalAnswerCheck,
  FinalStep,
  LoadAgentOptions,
  LoadFromHubOptions,
  ManagedAgent,
  ManagedTask,
  MemoryStep,
  MemoryView,
  ModelSettings,
  PlanningStep,
  PromptTemplates,
  PromptTemplatesInput,
  PushToHubOptions,
  PushedAgent,
  SavedAgent,
  StepCallback,
  StepCallbacks,
  StepContext,
  TaskStep,
  TokenUsage,
};
