import { EventType } from '@tanstack/ai';
import type { AnyTextAdapter, StreamChunk } from '@tanstack/ai';
import { BaseTextAdapter } from '@tanstack/ai/adapters';

/** A scripted model of TanStack AI: it calls one tool, then repeats the tool's result as text. */
export class ScriptedModel extends BaseTextAdapter<string, object, readonly ['text'], never> {
  override readonly name = 'scripted';
  readonly #tool: string;
  readonly #args: object;

  constructor(tool: string, args: object) {
    super({}, 'scripted');
    this.#tool = tool;
    this.#args = args;
  }

  override async *chatStream({
    messages,
  }: Parameters<AnyTextAdapter['chatStream']>[0]): AsyncIterable<StreamChunk> {
    const run = { runId: 'run', threadId: 'thread', timestamp: 0 };
    yield { type: EventType.RUN_STARTED, ...run };
    const last = messages.at(-1);
    if (last?.role === 'tool') {
      const messageId = 'message-1';
      yield { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' };
      yield {
        type: EventType.TEXT_MESSAGE_CONTENT,
        messageId,
        delta: JSON.stringify(last.content),
      };
      yield { type: EventType.TEXT_MESSAGE_END, messageId };
      yield { type: EventType.RUN_FINISHED, ...run, finishReason: 'stop' };
      return;
    }
    const toolCallId = 'call-1';
    yield { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: this.#tool };
    const delta = JSON.stringify(this.#args);
    yield { type: EventType.TOOL_CALL_ARGS, toolCallId, delta };
    yield { type: EventType.TOOL_CALL_END, toolCallId };
    yield { type: EventType.RUN_FINISHED, ...run, finishReason: 'tool_calls' };
  }

  override structuredOutput(): never {
    throw new Error('This model has no structured output.');
  }
}
