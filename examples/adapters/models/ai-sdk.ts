import { MockLanguageModelV4 } from 'ai/test';

type DoGenerate = MockLanguageModelV4['doGenerate'];

/** A scripted model of the AI SDK: it calls one tool, then repeats the tool's result as text. */
export function scriptedModel(toolName: string, input: object): MockLanguageModelV4 {
  const doGenerate: DoGenerate = async ({ prompt }) => {
    const result = lastToolOutput(prompt);
    const isDone = result !== undefined;
    return {
      content: isDone
        ? [{ type: 'text', text: result }]
        : [{ type: 'tool-call', toolCallId: 'call-1', toolName, input: JSON.stringify(input) }],
      finishReason: { unified: isDone ? 'stop' : 'tool-calls', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  };
  return new MockLanguageModelV4({ doGenerate });
}

/** The result of the tool that the model called; undefined before the call. */
function lastToolOutput(prompt: Parameters<DoGenerate>[0]['prompt']): string | undefined {
  const last = prompt.at(-1);
  if (last?.role !== 'tool') return undefined;
  for (const part of last.content) {
    if (part.type !== 'tool-result') continue;
    const { output } = part;
    return 'value' in output && typeof output.value === 'string'
      ? output.value
      : JSON.stringify('value' in output ? output.value : output);
  }
  return undefined;
}
