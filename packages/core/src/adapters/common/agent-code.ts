import type { CodeTool, CodeToolInput } from '../../tools/code-tool.ts';
import { AgentToolError } from './agent-tool-error.ts';

/**
 * Runs a model's code, and gives what it returned and logged as text.
 *
 * @throws {AgentToolError} The code failed, in whatever way.
 */
export async function runAgentCode(
  tool: CodeTool,
  { code }: CodeToolInput,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { text, outcome } = await tool.execute({ code }, { signal });
  if (outcome.ok) return text;
  throw new AgentToolError(text, outcome.error);
}
