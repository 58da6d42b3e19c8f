import { GloveboxError } from '../../shared/errors.ts';
import { memoryStepsSchema } from './agent-steps.ts';
import type { AgentMessage, MemoryStep } from './agent-steps.ts';
import { messagesOf } from './model-messages.ts';
import type { MemoryView } from './model-messages.ts';
import { replayOf } from './replay-steps.ts';

/** What an agent remembers of its runs: a list of steps, which are plain data. */
export class AgentMemory {
  /** What the model is told before all else; set by each run. */
  systemPrompt = '';
  readonly steps: MemoryStep[] = [];

  /**
   * A memory out of data, such as that of an earlier agent. The steps are copied.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`: the data is none of a memory.
   */
  static from(steps: unknown): AgentMemory {
    const parsed = memoryStepsSchema.safeParse(steps);
    if (!parsed.success) {
      const { path = [], message = '' } = parsed.error.issues[0] ?? {};
      const at = path.map(String).join('.');
      throw new GloveboxError('INVALID_OPTIONS', `That is no memory: ${at}: ${message}`, {
        path: at,
        cause: parsed.error,
      });
    }
    const memory = new AgentMemory();
    memory.steps.push(...parsed.data);
    return memory;
  }

  /** Forgets all steps. */
  reset(): void {
    this.steps.length = 0;
  }

  /**
   * The memory as a model is told it.
   *
   * @param view `full` by default; `summary` leaves out the system prompt, plans, and what models
   * said around their code.
   */
  toMessages(view: MemoryView = 'full'): AgentMessage[] {
    const messages = this.steps.flatMap((step) => messagesOf(step, view));
    if (view === 'summary' || this.systemPrompt === '') return messages;
    return [{ role: 'system', content: this.systemPrompt }, ...messages];
  }

  /** The steps with all that models were told: a list of its own, of copies that are not deep. */
  fullSteps(): MemoryStep[] {
    return this.steps.map((step) => ({ ...step }));
  }

  /** The steps without what models were told. */
  succinctSteps(): MemoryStep[] {
    return this.steps.map((step) => {
      const { modelInput: _modelInput, ...succinct } = { modelInput: undefined, ...step };
      return succinct;
    });
  }

  /** All code that ran, in order, as one program to read. */
  returnFullCode(): string {
    return this.steps
      .flatMap((step) => (step.type === 'action' && step.code !== undefined ? [step.code] : []))
      .join('\n\n');
  }

  /**
   * What happened, as text for a terminal: what models, guests and tools said cannot steer it.
   *
   * @param options.detailed With what models were told.
   */
  replay({ detailed = false }: { readonly detailed?: boolean } = {}): string {
    return replayOf(this.steps, detailed);
  }
}
