import { simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

/** The model's answer to one call: a text, a function of the prompt, or an error to throw. */
export type Line = string | Error | ((prompt: string) => string);

export interface ScriptedModel {
  readonly model: MockLanguageModelV4;
  /** The prompt of each call: `ROLE: TEXT` for each message. */
  readonly calls: readonly string[][];
  /** Numbers of calls, from 1, whose answer ends as if it had reached the token limit. */
  readonly cutOff: Set<number>;
}

const USAGE = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** A model of the AI SDK that answers each call with the next line, and uses 10 + 5 tokens. */
export function scriptedModel(lines: readonly Line[], modelId = 'scripted'): ScriptedModel {
  const calls: string[][] = [];
  const cutOff = new Set<number>();
  const finishReason = (): { unified: 'stop' | 'length'; raw: undefined } => ({
    unified: cutOff.has(calls.length) ? 'length' : 'stop',
    raw: undefined,
  });
  const next = (prompt: Parameters<MockLanguageModelV4['doGenerate']>[0]['prompt']): string => {
    const messages = prompt.map(({ role, content }) => {
      const text = Array.isArray(content)
        ? content.map((part) => (part.type === 'text' ? part.text : '')).join('')
        : content;
      return `${role}: ${text}`;
    });
    const line = lines[calls.length];
    calls.push(messages);
    if (line === undefined) throw new Error(`There is no line for call ${calls.length}.`);
    if (line instanceof Error) throw line;
    return typeof line === 'string' ? line : line(messages.join('\n'));
  };
  const model = new MockLanguageModelV4({
    provider: 'examples',
    modelId,
    doGenerate: async ({ prompt }) => ({
      content: [{ type: 'text', text: next(prompt) }],
      finishReason: finishReason(),
      usage: USAGE,
      warnings: [],
    }),
    doStream: async ({ prompt }) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          ...next(prompt)
            .split(/(?<= )/)
            .map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
          { type: 'text-end', id: '1' },
          { type: 'finish', finishReason: finishReason(), usage: USAGE },
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
  return { model, calls, cutOff };
}
