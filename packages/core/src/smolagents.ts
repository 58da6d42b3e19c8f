export { RemoteExecutor } from './adapters/smolagents/remote-executor.ts';
export type { CodeOutput, RemoteExecutorOptions } from './adapters/smolagents/remote-executor.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
