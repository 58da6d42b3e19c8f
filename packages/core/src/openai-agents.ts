export {
  fromOpenAiAgentsTool,
  toOpenAiAgentsCodeTool,
  toOpenAiAgentsTools,
} from './adapters/openai-agents/openai-agents-tools.ts';
export type { OpenAiAgentsTool } from './adapters/openai-agents/openai-agents-tools.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
