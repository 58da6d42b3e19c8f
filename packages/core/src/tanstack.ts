export { createIsolateDriver } from './adapters/tanstack/isolate-driver.ts';
export type { IsolateDriverOptions } from './adapters/tanstack/isolate-driver.ts';
export {
  fromTanStackTool,
  toTanStackCodeTool,
  toTanStackTools,
} from './adapters/tanstack/tanstack-tools.ts';
export type { TanStackServerTool, TanStackTool } from './adapters/tanstack/tanstack-tools.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
