export {
  fromLangChainTool,
  toInterruptOn,
  toLangChainCodeTool,
  toLangChainTools,
} from './adapters/langchain/langchain-tools.ts';
export type { LangChainTool, LangChainToolsOptions } from './adapters/langchain/langchain-tools.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
