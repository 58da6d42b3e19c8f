export { fromAiSdkTools } from './adapters/ai-sdk/from-ai-sdk-tools.ts';
export { modelPlanner } from './adapters/ai-sdk/model-planner.ts';
export type { ModelPlannerOptions } from './adapters/ai-sdk/model-planner.ts';
export { toAiSdkCodeTool, toAiSdkTools } from './adapters/ai-sdk/to-ai-sdk-tools.ts';
export type { AiSdkCodeTool } from './adapters/ai-sdk/to-ai-sdk-tools.ts';
export { AgentToolError } from './adapters/common/agent-tool-error.ts';
export type { AgentToolsOptions } from './adapters/common/agent-tools.ts';
