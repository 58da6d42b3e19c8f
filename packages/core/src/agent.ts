export type { AgentResult } from './agent/result.ts';
export type { StepCallback, StepCallbacks, StepContext } from './agent/callbacks.ts';
export { CodeAgent } from './agent/code-agent.ts';
export { loadAgent } from './agent/folder/load.ts';
export type { LoadAgentOptions } from './agent/folder/load.ts';
export type { SavedAgent } from './agent/folder/save.ts';
export { loadFromHub, pushToHub } from './agent/hub.ts';
export type { LoadFromHubOptions, PushedAgent, PushToHubOptions } from './agent/hub.ts';
export { AgentMemory } from './agent/memory.ts';
export type { MemoryView } from './agent/messages.ts';
export type { ModelSettings } from './agent/model-settings.ts';
export type {
  AgentEvent,
  AgentRunOptions,
  CodeAgentOptions,
  FinalAnswerCheck,
} from './agent/options.ts';
export { AGENT_REASONS } from './agent/reasons.ts';
export type { AgentReason, AgentStatus } from './agent/reasons.ts';
export type {
  ActionStep,
  AgentMessage,
  FinalStep,
  MemoryStep,
  PlanningStep,
  TaskStep,
  TokenUsage,
} from './agent/steps.ts';
export type { PromptTemplates, PromptTemplatesInput } from './agent/templates.ts';
