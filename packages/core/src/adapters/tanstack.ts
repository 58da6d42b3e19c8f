export { createIsolateDriver } from './tanstack/isolate-driver.ts';
export type { IsolateDriverOptions } from './tanstack/isolate-driver.ts';
export { fromTanStackTool, toTanStackCodeTool, toTanStackTools } from './tanstack/tools.ts';
export type { TanStackServerTool, TanStackTool } from './tanstack/tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
