import { generateText, streamText } from 'ai';
import type { LanguageModel } from 'ai';

import { ABORTED, untilAborted } from '../../dispatch/abort.ts';
import type { AgentMessage, TokenUsage } from '../memory/agent-steps.ts';
import type { ModelSettings } from '../model-settings.ts';

export interface ModelRequest {
  readonly model: LanguageModel;
  readonly settings: ModelSettings;
  readonly messages: readonly AgentMessage[];
  readonly stopSequences: string[];
  readonly signal: AbortSignal;
  /** Called with parts of the text; if it is given, the model streams. */
  readonly onText: ((text: string) => void) | undefined;
}

export interface ModelAnswer {
  readonly text: string;
  readonly usage: TokenUsage;
  /** Whether the text was cut off at the token limit. */
  readonly isCut: boolean;
}

/** Calls a model. Throws errors of the model or its provider, or the reason of the signal. */
export async function callModel(request: ModelRequest): Promise<ModelAnswer> {
  const answer = await untilAborted(
    request.onText === undefined ? generate(request) : stream(request, request.onText),
    request.signal,
  );
  if (answer === ABORTED) throw request.signal.reason;
  return answer;
}

async function generate(request: ModelRequest): Promise<ModelAnswer> {
  const { text, usage, finishReason } = await generateText(optionsOf(request));
  return { text, usage: usageOf(usage), isCut: finishReason === 'length' };
}

async function stream(request: ModelRequest, onText: (text: string) => void): Promise<ModelAnswer> {
  let text = '';
  // Without `onError`, the SDK writes errors to the console.
  const result = streamText({ ...optionsOf(request), onError: () => undefined });
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type !== 'text-delta') continue;
    text += part.text;
    onText(part.text);
  }
  const isCut = (await result.finishReason) === 'length';
  return { text, usage: usageOf(await result.usage), isCut };
}

function optionsOf({ model, settings, messages, stopSequences, signal }: ModelRequest) {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  return {
    ...settings,
    model,
    messages: messages.flatMap(({ role, content }) =>
      role === 'system' ? [] : [{ role, content }],
    ),
    stopSequences,
    abortSignal: signal,
    ...(system.length === 0 ? {} : { system: system.join('\n\n') }),
  };
}

function usageOf(usage: {
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}): TokenUsage {
  return { inputTokens: usage.inputTokens ?? 0, outputTokens: usage.outputTokens ?? 0 };
}
