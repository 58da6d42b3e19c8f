export { RemoteExecutor } from './smolagents/remote-executor.ts';
export type { CodeOutput, RemoteExecutorOptions } from './smolagents/remote-executor.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
