export { createCodeModeTransport } from './adapters/mastra/code-mode-transport.ts';
export type { CodeModeTransportOptions } from './adapters/mastra/code-mode-transport.ts';
export { fromMastraTool, toMastraCodeTool, toMastraTools } from './adapters/mastra/mastra-tools.ts';
export type { MastraTool } from './adapters/mastra/mastra-tools.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
