export { createCodemodeExecutor } from './codemode/executor.ts';
export type { CodemodeExecutorOptions } from './codemode/executor.ts';
export { toCodemodeTools } from './codemode/tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
