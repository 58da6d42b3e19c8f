export { fromAiSdkTools } from './ai-sdk/from-tools.ts';
export { modelPlanner } from './ai-sdk/model-planner.ts';
export type { ModelPlannerOptions } from './ai-sdk/model-planner.ts';
export { toAiSdkCodeTool, toAiSdkTools } from './ai-sdk/to-tools.ts';
export type { AiSdkCodeTool } from './ai-sdk/to-tools.ts';
export { AgentToolError } from './common/agent-tool-error.ts';
export type { AgentToolsOptions } from './common/agent-tools.ts';
