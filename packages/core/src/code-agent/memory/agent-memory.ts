import { GloveboxError } from '../../shared/errors.ts';
import { memoryStepsSchema } from './agent-steps.ts';
import type { AgentMessage, MemoryStep } from './agent-steps.ts';
import { messagesOf } from './model-messages.ts';
import type { MemoryView } from './model-messages.ts';
import { replayOf } from './replay-steps.ts';

/** The memory of an agent: the steps of its runs, as plain data. */
export class AgentMemory {
  /** The first message to the model; each run sets it. */
  systemPrompt = '';
  readonly steps: MemoryStep[] = [];

  /**
   * Creates a memory from data, such as the steps of an earlier agent. The steps are copied.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS` if the data is not a valid list of steps.
   */
  static from(steps: unknown): AgentMemory {
    const parsed = memoryStepsSchema.safeParse(steps);
    if (!parsed.success) {
      const { path = [], message = '' } = parsed.error.issues[0] ?? {};
      const at = path.map(String).join('.');
      throw new GloveboxError('INVALID_OPTIONS', `The steps are not valid: ${at}: ${message}`, {
        path: at,
        cause: parsed.error,
      });
    }
    const memory = new AgentMemory();
    memory.steps.push(...parsed.data);
    return memory;
  }

  /** Removes all steps. */
  reset(): void {
    this.steps.length = 0;
  }

  /**
   * The memory as messages for a model.
   *
   * @param view `full` by default; `summary` leaves out the system prompt, plans, and the text of
   * models around their code.
   */
  toMessages(view: MemoryView = 'full'): AgentMessage[] {
    const messages = this.steps.flatMap((step) => messagesOf(step, view));
    if (view === 'summary' || this.systemPrompt === '') return messages;
    return [{ role: 'system', content: this.systemPrompt }, ...messages];
  }

  /** Shallow copies of the steps, with the inputs of models. */
  fullSteps(): MemoryStep[] {
    return this.steps.map((step) => ({ ...step }));
  }

  /** Shallow copies of the steps, without the inputs of models. */
  succinctSteps(): MemoryStep[] {
    return this.steps.map((step) => {
      const { modelInput: _modelInput, ...succinct } = { modelInput: undefined, ...step };
      return succinct;
    });
  }

  /** All code that ran, in order, as one text. */
  returnFullCode(): string {
    return this.steps
      .flatMap((step) => (step.type === 'action' && step.code !== undefined ? [step.code] : []))
      .join('\n\n');
  }

  /**
   * The steps as text for a terminal, without control sequences of models, guests and tools.
   *
   * @param options.detailed Whether to include the inputs of models; `false` by default.
   */
  replay({ detailed = false }: { readonly detailed?: boolean } = {}): string {
    return replayOf(this.steps, detailed);
  }
}
