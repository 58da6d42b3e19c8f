export { createCodemodeExecutor } from './adapters/codemode/codemode-executor.ts';
export type { CodemodeExecutorOptions } from './adapters/codemode/codemode-executor.ts';
export { toCodemodeTools } from './adapters/codemode/codemode-tools.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
