import { jsonSchema, tool as defineTool } from 'ai';
import type { JSONSchema7, JSONValue, ModelMessage, Tool, ToolSet } from 'ai';

import type { CodeTool, CodeToolInput, CodeToolResult } from '../../code-mode/code-tool.ts';
import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import { runAgentCode } from '../common/agent-code.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';
import { isJson, toModelText } from '../common/model-value.ts';

/**
 * The tools of a dispatcher's registry for `tools` of `generateText`, `streamText` and agents. If a
 * call needs approval, the AI SDK asks a person. If the call then arrives without that approval,
 * because a policy allowed it or code made it, the dispatcher's `approve` is called. The program
 * gets the exact value; the model gets text if JSON cannot represent the value.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toAiSdkTools(dispatcher: Dispatcher, options?: AgentToolsOptions): ToolSet {
  return Object.fromEntries(
    listAgentTools(dispatcher, options).map((tool) => [
      tool.name,
      defineTool({
        description: tool.description,
        // The dispatcher validates the arguments.
        inputSchema: jsonSchema(tool.inputSchema as JSONSchema7),
        ...(tool.approval === 'never' ? {} : { needsApproval: (args) => tool.needsApproval(args) }),
        execute: (args, { abortSignal, toolCallId, messages }) =>
          tool.call(args, {
            signal: abortSignal,
            callId: toolCallId,
            isApproved: isApprovedIn(messages, toolCallId),
          }),
        toModelOutput: ({ output }) =>
          typeof output !== 'string' && isJson(output)
            ? { type: 'json', value: output as JSONValue }
            : { type: 'text', value: toModelText(output) },
      }),
    ]),
  );
}

/** The code tool for the AI SDK: the program gets the outcome, the model gets its text. */
export type AiSdkCodeTool = Tool<CodeToolInput, CodeToolResult>;

/**
 * A code tool for `tools` of the AI SDK: `{ run_code: toAiSdkCodeTool(createCodeTool(…)) }`. If the
 * code fails, the result is a `tool-error`.
 */
export function toAiSdkCodeTool(codeTool: CodeTool): AiSdkCodeTool {
  return defineTool({
    description: codeTool.description,
    inputSchema: jsonSchema<CodeToolInput>(codeTool.inputSchema as JSONSchema7),
    execute: (input, { abortSignal }) => runAgentCode(codeTool, input, abortSignal),
    toModelOutput: ({ output }) => ({ type: 'text', value: output.text }),
  });
}

/** Whether the messages before a call contain a person's approval of this call. */
function isApprovedIn(messages: readonly ModelMessage[], toolCallId: string): boolean {
  const requests = new Set<string>();
  let isApproved = false;
  for (const { role, content } of messages) {
    if (role === 'assistant' && typeof content !== 'string') {
      for (const part of content) {
        const isRequest = part.type === 'tool-approval-request' && part.toolCallId === toolCallId;
        if (isRequest) requests.add(part.approvalId);
      }
    } else if (role === 'tool') {
      for (const part of content) {
        const isAnswer = part.type === 'tool-approval-response' && requests.has(part.approvalId);
        if (isAnswer) isApproved = part.approved;
      }
    }
  }
  return isApproved;
}
