import type { DispatchResult } from '../dispatch/dispatch-result.ts';
import type { ToolDispatcher } from '../dispatch/dispatcher.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Journal } from './journal.ts';
import { CODE_TOOL_NAME, toolNameOf } from './plan-steps.ts';
import type { CodeStep, SingleStep } from './plan-steps.ts';
import { copyOf } from './planner.ts';
import { ReferenceFault, resolveReferences } from './references.ts';
import { signatureOf } from './signature.ts';
import { failureOfDispatch, failureText } from './step-failure.ts';
import type { StepFailure } from './step-failure.ts';

/** A step whose references are resolved. */
export interface PreparedStep {
  readonly step: SingleStep;
  readonly gatherId: number | undefined;
  readonly signature: string;
  readonly args: unknown;
  /** Why its references cannot be resolved. */
  readonly failure: StepFailure | undefined;
  /** The step of an earlier revision whose result is reused. */
  readonly cachedFrom: number | undefined;
}

/** Executes single steps of a session, and writes an event before and after each. */
export class StepRunner {
  readonly #journal: Journal;
  readonly #dispatcher: ToolDispatcher;
  /** The caller's signal: a step that it stops stays in flight. */
  readonly #sessionSignal: AbortSignal;

  constructor(journal: Journal, dispatcher: ToolDispatcher, sessionSignal: AbortSignal) {
    this.#journal = journal;
    this.#dispatcher = dispatcher;
    this.#sessionSignal = sessionSignal;
  }

  prepare(step: SingleStep, gatherId?: number): PreparedStep {
    const { state } = this.#journal;
    const common = { step, gatherId, failure: undefined, cachedFrom: undefined };
    try {
      const args = copyOf(resolveReferences(step.args, state.results));
      const signature = signatureOf(step, args);
      const isNew = !state.inFlight.has(step.id);
      const mayReuse = isNew && (step.reuse ?? this.isIdempotent(step));
      const done = mayReuse ? state.findDone(signature) : undefined;
      return { ...common, args, signature, cachedFrom: done?.stepId };
    } catch (fault) {
      if (!(fault instanceof ReferenceFault)) throw fault;
      const failure: StepFailure = { kind: 'reference', message: fault.message };
      const signature = signatureOf(step, step.args);
      return { ...common, args: step.args, signature, failure };
    }
  }

  /** Whether executing the step twice has the same effect as executing it once. */
  isIdempotent(step: SingleStep): boolean {
    // Code without tools has no effect outside the sandbox.
    const names = 'code' in step ? (step.uses ?? []) : [step.toolName];
    const { registry } = this.#dispatcher;
    return names.every((name) => registry.find(name)?.definition.idempotent === true);
  }

  /** The idempotency key of a step: the same each time this step is executed. */
  idempotencyKey(stepId: number, signature: string): string {
    const { header, state } = this.#journal;
    return `${header.sessionId}:${state.revision}:${stepId}:${signature}`;
  }

  /** Reuses the result of an earlier step, or makes the call. */
  async run(prepared: PreparedStep, signal: AbortSignal): Promise<void> {
    const { step, gatherId, signature, failure, cachedFrom: fromStepId } = prepared;
    const about = { stepId: step.id, gatherId };
    const toolName = toolNameOf(step);
    if (fromStepId !== undefined) {
      const payload = { ...about, toolName, signature, fromStepId };
      await this.#journal.emit({ type: 'step.cached', payload });
      return;
    }
    const again = this.#journal.state.inFlight.has(step.id) ? true : undefined;
    const payload = { ...about, toolName, signature, again };
    await this.#journal.emit({ type: 'step.start', payload });
    if (failure !== undefined) {
      await this.fail(step.id, gatherId, failure);
      return;
    }
    await this.#end(prepared, await this.#dispatch(prepared, signal));
  }

  /** Writes that a step failed. */
  async fail(stepId: number, gatherId: number | undefined, failure: StepFailure): Promise<void> {
    const outcome = failure.kind === 'cancelled' ? 'cancelled' : 'error';
    const payload = { stepId, gatherId, outcome, error: failureText(failure), failure } as const;
    await this.#journal.emit({ type: 'step.end', payload });
  }

  #dispatch({ step, args, signature }: PreparedStep, signal: AbortSignal): Promise<DispatchResult> {
    return this.#dispatcher.dispatch({
      tool: 'code' in step ? codeTool(step) : step.toolName,
      args,
      idempotencyKey: this.idempotencyKey(step.id, signature),
      signal,
    });
  }

  async #end({ step, gatherId }: PreparedStep, result: DispatchResult): Promise<void> {
    const about = { stepId: step.id, gatherId };
    if (result.ok) {
      const payload = { ...about, outcome: 'ok', result: copyOf(result.value) } as const;
      await this.#journal.emit({ type: 'step.end', payload });
    } else if (result.error.kind !== 'aborted') {
      await this.fail(step.id, gatherId, failureOfDispatch(result.error));
    } else if (this.#sessionSignal.aborted) {
      await this.#journal.emit({ type: 'step.end', payload: { ...about, outcome: 'aborted' } });
    } else {
      await this.fail(step.id, gatherId, CANCELLED);
    }
  }
}

/** The failure of a branch that was stopped because its gather was decided. */
export const CANCELLED: StepFailure = {
  kind: 'cancelled',
  message: 'It was stopped when another branch decided the gather.',
};

/** A tool for one call. It is in no registry of the user; the dispatcher calls it like any tool. */
function codeTool({ code, uses, language, limits }: CodeStep): RegisteredTool {
  return new ToolRegistry().register({
    name: CODE_TOOL_NAME,
    source: code,
    uses,
    language,
    limits,
  });
}
