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
 * Looks at a final answer. `false`, or what it throws, is told to the model as the reason why the
 * answer is not taken; `undefined` and `true` take it.
 */
export type FinalAnswerCheck = (answer: unknown, memory: AgentMemory) => unknown;

/** What a managed agent is told. */
export interface ManagedTask {
  /** What the agent is to do, with all that it needs to know. */
  readonly task: string;
  /** Values that its code finds by their names. */
  readonly variables?: Record<string, unknown> | undefined;
}

/** An agent that the code of another one may call. A `CodeAgent` is one. */
export interface ManagedAgent {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly memory: AgentMemory;
  /** What the agent was made with, and the defaults of the rest. */
  readonly options: Readonly<CheckedAgentOptions>;
  /** The tools that its code may call, without other agents. */
  readonly tools: readonly RegisteredTool[];
  /** The agent as a tool: each call is a run of its own, with an empty memory. */
  asTool(): TypedTool<ManagedTask>;
}

/** Options of a code agent. */
export interface CodeAgentOptions {
  /** Any language model of the AI SDK. */
  readonly model: LanguageModel;
  readonly modelSettings?: ModelSettings | undefined;
  /** Runs the code. */
  readonly executor: Executor;
  /** What the code may call. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** Calls the tools of its registry, in place of `tools` and `approve`. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Asks a person about calls that need approval; without it they are denied. */
  readonly approve?: Approve | undefined;
  /** A tool's name and what it is for: where other agents call this one. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Agents that the code may call by their names. */
  readonly managedAgents?: readonly ManagedAgent[] | undefined;
  /** Plans at step 1, and again after so many steps; without it there are no plans. */
  readonly planningInterval?: number | undefined;
  /** Steps of code in a run; 20 by default. */
  readonly maxSteps?: number | undefined;
  /** Added to what the model is told. */
  readonly instructions?: string | undefined;
  /** Called after each step; a list is for action steps. */
  readonly stepCallbacks?: readonly StepCallback<ActionStep>[] | StepCallbacks | undefined;
  readonly finalAnswerChecks?: readonly FinalAnswerCheck[] | undefined;
  /** Prompts in place of the default ones. */
  readonly promptTemplates?: PromptTemplatesInput | undefined;
  /** Limits of each step's code. */
  readonly limits?: LimitsInput | undefined;
  /** Characters that the model is shown of what a step gave; 20 000 by default. */
  readonly maxObservationCharacters?: number | undefined;
  /** What the agent remembers at first; runs with `reset: false` go on from it. */
  readonly memory?: AgentMemory | undefined;
}

/** What a run tells while it goes on. */
export type AgentEvent =
  /** A part of what a model says. */
  | { readonly type: 'text'; readonly step: 'planning' | 'action' | 'final'; readonly text: string }
  /** A step is done, and its callbacks too. */
  | { readonly type: 'step'; readonly step: MemoryStep };

/** What one run brings. */
export interface AgentRunOptions {
  /** Begin with an empty memory and a new session for the code; `true` by default. */
  readonly reset?: boolean | undefined;
  /** Values that the code finds by their names. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** In place of the agent's own. */
  readonly maxSteps?: number | undefined;
  /** Tokens that models may use, in and out, over all agents of the run; without limit by default. */
  readonly maxTokens?: number | undefined;
  /** Calls of tools, over all steps and agents of the run; without limit by default. */
  readonly maxToolCalls?: number | undefined;
  /** Stops the run at once, also within a step. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what happens as it comes; the model is asked to stream. */
  readonly stream?: ((event: AgentEvent) => void) | undefined;
  /** Called after the agent's own. */
  readonly stepCallbacks?: CodeAgentOptions['stepCallbacks'];
  /** The call of a tool for which the agent runs, where it does: its signal and budget hold. */
  readonly parent?: ToolContext | undefined;
}

const steps = z.int().min(1).max(100_000);

/** Schema of what `new CodeAgent` takes. */
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
    error: 'give it to the dispatcher',
    path: ['approve'],
  });

/** Schema of what `run` takes. */
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
export type CheckedRunOptions = z.output<typeof agentRunOptionsSchema>;
