export type { AgentResult } from './code-agent/agent-result.ts';
export type { StepCallback, StepCallbacks, StepContext } from './code-agent/callbacks.ts';
export { CodeAgent } from './code-agent/code-agent.ts';
export { loadAgent } from './code-agent/folder/load-agent.ts';
export type { LoadAgentOptions } from './code-agent/folder/load-agent.ts';
export type { SavedAgent } from './code-agent/folder/save-agent.ts';
export { loadFromHub, pushToHub } from './code-agent/hub.ts';
export type { LoadFromHubOptions, PushedAgent, PushToHubOptions } from './code-agent/hub.ts';
export { AgentMemory } from './code-agent/memory/agent-memory.ts';
export type { MemoryView } from './code-agent/memory/model-messages.ts';
export type { ModelSettings } from './code-agent/model-settings.ts';
export type {
  AgentEvent,
  AgentRunOptions,
  CodeAgentOptions,
  FinalAnswerCheck,
  ManagedAgent,
  ManagedTask,
} from './code-agent/agent-options.ts';
export { AGENT_REASONS } from './code-agent/agent-reasons.ts';
export type { AgentReason, AgentStatus } from './code-agent/agent-reasons.ts';
export type {
  ActionStep,
  AgentMessage,
  FinalStep,
  MemoryStep,
  PlanningStep,
  TaskStep,
  TokenUsage,
} from './code-agent/memory/agent-steps.ts';
export type { PromptTemplates, PromptTemplatesInput } from './code-agent/prompt-templates.ts';
