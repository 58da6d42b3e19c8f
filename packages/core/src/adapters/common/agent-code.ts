import type { CodeTool, CodeToolInput, CodeToolResult } from '../../code-mode/code-tool.ts';
import { AgentToolError } from './agent-tool-error.ts';

/**
 * Runs the code of a model.
 *
 * @throws {AgentToolError} if the run fails for any reason.
 */
export async function runAgentCode(
  tool: CodeTool,
  { code }: CodeToolInput,
  signal: AbortSignal | undefined,
): Promise<CodeToolResult> {
  const result = await tool.execute({ code }, { signal });
  if (result.outcome.ok) return result;
  throw new AgentToolError(result.text, result.outcome.error);
}
