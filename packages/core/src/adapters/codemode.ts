export { createCodemodeExecutor } from './codemode/executor.ts';
export type { CodemodeExecutorOptions } from './codemode/executor.ts';
export { toCodemodeTools } from './codemode/tools.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
