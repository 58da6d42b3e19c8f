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
  /** Why its arguments cannot be had. */
  readonly failure: StepFailure | undefined;
  /** The step of an earlier revision whose result is taken. */
  readonly cachedFrom: number | undefined;
}

/** Carries out single steps of a session, and writes down each before and after. */
export class StepRunner {
  readonly #journal: Journal;
  readonly #dispatcher: ToolDispatcher;
  /** The caller's: what it stops stays under way. */
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

  /** Whether doing the step twice does no more than doing it once. */
  isIdempotent(step: SingleStep): boolean {
    // Code alone reaches nothing outside the box.
    const names = 'code' in step ? (step.uses ?? []) : [step.toolName];
    const { registry } = this.#dispatcher;
    return names.every((name) => registry.find(name)?.definition.idempotent === true);
  }

  /** The key that is the same whenever this very step is carried out. */
  idempotencyKey(stepId: number, signature: string): string {
    const { header, state } = this.#journal;
    return `${header.sessionId}:${state.revision}:${stepId}:${signature}`;
  }

  /** Takes the result of an earlier step, or makes the call. */
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

  /** Writes down that a step failed. */
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

/** The failure of a branch that its gather did not wait for. */
export const CANCELLED: StepFailure = {
  kind: 'cancelled',
  message: 'It was stopped when another branch decided the gather.',
};

/** A tool for one call: it goes through the dispatcher like any other, and no registry lists it. */
function codeTool({ code, uses, language, limits }: CodeStep): RegisteredTool {
  return new ToolRegistry().register({
    name: CODE_TOOL_NAME,
    source: code,
    uses,
    language,
    limits,
  });
}
