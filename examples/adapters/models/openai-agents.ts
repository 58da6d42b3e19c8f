import { Usage } from '@openai/agents';
import type { Model, ModelRequest, ModelResponse } from '@openai/agents';

/** A scripted model of OpenAI Agents: it calls one tool, then repeats the tool's result as text. */
export class ScriptedModel implements Model {
  readonly #name: string;
  readonly #args: object;

  constructor(tool: string, args: object) {
    this.#name = tool;
    this.#args = args;
  }

  async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
    const last = typeof input === 'string' ? undefined : input.at(-1);
    const usage = new Usage();
    if (last?.type === 'function_call_result') {
      const { output } = last;
      const text =
        typeof output === 'object' && 'text' in output ? output.text : JSON.stringify(output);
      const content = [{ type: 'output_text', text }] as const;
      const message = { type: 'message', role: 'assistant', status: 'completed' } as const;
      return { usage, output: [{ ...message, content: [...content] }] };
    }
    const call = { type: 'function_call', callId: 'call-1', name: this.#name } as const;
    return { usage, output: [{ ...call, arguments: JSON.stringify(this.#args) }] };
  }

  getStreamedResponse(): never {
    throw new Error('This model does not stream.');
  }
}
