import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import type { LanguageModel } from 'ai';
import { z } from 'zod';

import type { Dispatcher } from '../dispatch/dispatcher.ts';
import type { Approve } from '../dispatch/tool-approval.ts';
import type { Executor } from '../executor/executor.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import { abortSignal, callback, having } from '../shared/check-options.ts';
import type { AnyTool, TypedTool } from '../tools/definition.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { callbacksSchema } from './callbacks.ts';
import type { StepCallback, StepCallbacks } from './callbacks.ts';
import { AgentMemory } from './memory/agent-memory.ts';
import { variablesSchema } from './memory/agent-steps.ts';
import type { ActionStep, MemoryStep } from './memory/agent-steps.ts';
import { modelSettingsSchema } from './model-settings.ts';
import type { ModelSettings } from './model-settings.ts';
import { templatesSchema } from './prompt-templates.ts';
import type { PromptTemplatesInput } from './prompt-templates.ts';

/**
 * Checks a final answer. The answer is rejected if the check returns `false` or throws; the model
 * gets the reason and continues. `undefined` and `true` accept the answer.
 */
export type FinalAnswerCheck = (answer: unknown, memory: AgentMemory) => unknown;

/** The input of a managed agent. */
export interface ManagedTask {
  /** The task, with all the information that the agent needs. */
  readonly task: string;
  /** Values that the agent's code sees as variables. */
  readonly variables?: Record<string, unknown> | undefined;
}

/** An agent that the code of another agent may call, such as a `CodeAgent`. */
export interface ManagedAgent {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly memory: AgentMemory;
  /** The options of the agent, with defaults. */
  readonly options: Readonly<CheckedAgentOptions>;
  /** The tools that the agent's code may call, without managed agents. */
  readonly tools: readonly RegisteredTool[];
  /** The agent as a tool: each call is a separate run with an empty memory. */
  asTool(): TypedTool<ManagedTask>;
}

/** Options of a code agent. */
export interface CodeAgentOptions {
  /** Any language model of the AI SDK. */
  readonly model: LanguageModel;
  readonly modelSettings?: ModelSettings | undefined;
  /** Runs the code. */
  readonly executor: Executor;
  /** Tools that the code may call. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Calls the tools of its own registry; an alternative to `tools` and `approve`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Asks a person to approve calls that need approval; without it they are denied. */
  readonly approve?: Approve | undefined;
  /** Name as a tool; needed if other agents call this agent. */
  readonly name?: string | undefined;
  /** Description as a tool; needed if other agents call this agent. */
  readonly description?: string | undefined;
  /** Agents that the code may call by name. */
  readonly managedAgents?: readonly ManagedAgent[] | undefined;
  /** Number of steps from one plan to the next, from step 1; without it there are no plans. */
  readonly planningInterval?: number | undefined;
  /** Maximum number of code steps in a run; 20 by default. */
  readonly maxSteps?: number | undefined;
  /** Text that is added to the system prompt. */
  readonly instructions?: string | undefined;
  /** Called after steps. A list is called after action steps. */
  readonly stepCallbacks?: readonly StepCallback<ActionStep>[] | StepCallbacks | undefined;
  readonly finalAnswerChecks?: readonly FinalAnswerCheck[] | undefined;
  /** Prompts that replace the default prompts. */
  readonly promptTemplates?: PromptTemplatesInput | undefined;
  /** Limits of the code of each step. */
  readonly limits?: LimitsInput | undefined;
  /** Maximum number of characters in the observation of a step; 20 000 by default. */
  readonly maxObservationCharacters?: number | undefined;
  /** The memory at the start; runs with `reset: false` continue from it. */
  readonly memory?: AgentMemory | undefined;
}

/** An event of a run that is streamed. */
export type AgentEvent =
  /** A part of a model's text. */
  | { readonly type: 'text'; readonly step: 'planning' | 'action' | 'final'; readonly text: string }
  /** A step and its callbacks have ended. */
  | { readonly type: 'step'; readonly step: MemoryStep };

/** Options of one run. */
export interface AgentRunOptions {
  /** Whether to start with an empty memory and a new session for the code; `true` by default. */
  readonly reset?: boolean | undefined;
  /** Values that the code sees as variables. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Overrides `maxSteps` of the agent. */
  readonly maxSteps?: number | undefined;
  /** Maximum input and output tokens of all agents in the run; no limit by default. */
  readonly maxTokens?: number | undefined;
  /** Maximum number of tool calls of all steps and agents in the run; no limit by default. */
  readonly maxToolCalls?: number | undefined;
  /** Stops the run at once, even during a step. */
  readonly signal?: AbortSignal | undefined;
  /** Called with events during the run; with it, the model streams its text. */
  readonly stream?: ((event: AgentEvent) => void) | undefined;
  /** Called after the callbacks of the agent. */
  readonly stepCallbacks?: CodeAgentOptions['stepCallbacks'];
  /** The tool call that the run is part of: its signal and budget apply to the run. */
  readonly parent?: ToolContext | undefined;
}

const steps = z.int().min(1).max(100_000);

/** Schema of `CodeAgentOptions`. */
export const codeAgentOptionsSchema = z
  .strictObject({
    model: z.custom<LanguageModel>(
      (value) => (typeof value === 'string' && value !== '') || typeof value === 'object',
      { error: 'must be a language model of the AI SDK' },
    ),
    modelSettings: modelSettingsSchema.default({}),
    executor: having<Executor>('openSession', 'an Executor'),
    tools: z.array(z.custom<AnyTool>()).optional(),
    dispatcher: having<Dispatcher>('dispatch', 'a Dispatcher').optional(),
    approve: callback<Approve>().optional(),
    name: z.string().optional(),
    description: z.string().optional(),
    managedAgents: z.array(having<ManagedAgent>('asTool', 'a CodeAgent')).default([]),
    planningInterval: steps.optional(),
    maxSteps: steps.default(20),
    instructions: z.string().default(''),
    stepCallbacks: callbacksSchema,
    finalAnswerChecks: z.array(callback<FinalAnswerCheck>()).default([]),
    promptTemplates: templatesSchema,
    limits: limitsSchema.optional(),
    maxObservationCharacters: z.int().min(200).default(20_000),
    memory: z.instanceof(AgentMemory).optional(),
  })
  .refine(({ tools, dispatcher }) => tools === undefined || dispatcher === undefined, {
    error: 'give tools or a dispatcher, not both',
    path: ['dispatcher'],
  })
  .refine(({ approve, dispatcher }) => approve === undefined || dispatcher === undefined, {
    error: 'must be given to the dispatcher instead',
    path: ['approve'],
  });

/** Schema of `AgentRunOptions`. */
export const agentRunOptionsSchema = z.strictObject({
  reset: z.boolean().default(true),
  variables: variablesSchema.default({}),
  maxSteps: steps.optional(),
  maxTokens: z.int().min(0).optional(),
  maxToolCalls: z.int().min(0).optional(),
  signal: abortSignal.optional(),
  stream: callback<(event: AgentEvent) => void>().optional(),
  stepCallbacks: callbacksSchema,
  parent: having<ToolContext>('pauseWallClock', 'the context of a tool call').optional(),
});

export type CheckedAgentOptions = z.output<typeof codeAgentOptionsSchema>;
export type CheckedAgentRunOptions = z.output<typeof agentRunOptionsSchema>;
