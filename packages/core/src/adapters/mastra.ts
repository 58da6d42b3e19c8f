export { createCodeModeTransport } from './mastra/code-mode-transport.ts';
export type { CodeModeTransportOptions } from './mastra/code-mode-transport.ts';
export { fromMastraTool, toMastraCodeTool, toMastraTools } from './mastra/tools.ts';
export type { MastraTool } from './mastra/tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
