export {
  fromLangChainTool,
  toInterruptOn,
  toLangChainCodeTool,
  toLangChainTools,
} from './langchain/tools.ts';
export type { LangChainTool, LangChainToolsOptions } from './langchain/tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
