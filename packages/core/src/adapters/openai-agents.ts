export {
  fromOpenAiAgentsTool,
  toOpenAiAgentsCodeTool,
  toOpenAiAgentsTools,
} from './openai-agents/tools.ts';
export type { OpenAiAgentsTool } from './openai-agents/tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
