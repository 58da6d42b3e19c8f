import { fence } from '../../code-mode/fence.ts';
import { renderOutcome } from '../../code-mode/render-outcome.ts';
import { isGloveboxError } from '../../shared/errors.ts';
import { readThrown } from '../../shared/thrown.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import { toolTypes } from '../../tools/tool-types.ts';
import type { AgentEvent, CheckedAgentOptions, CheckedAgentRunOptions } from '../agent-options.ts';
import { AGENT_REASONS } from '../agent-reasons.ts';
import type { AgentReason } from '../agent-reasons.ts';
import { RunEnd } from '../agent-result.ts';
import type { AgentResult } from '../agent-result.ts';
import { runCallbacks } from '../callbacks.ts';
import type { CallbackTable, StepContext } from '../callbacks.ts';
import type { AgentMemory } from '../memory/agent-memory.ts';
import type { ActionStep, AgentMessage, MemoryStep, ModelStep } from '../memory/agent-steps.ts';
import { fillIn } from '../prompt-templates.ts';
import type { AgentSession } from './agent-session.ts';
import type { AgentToolbox } from './agent-toolbox.ts';
import { readCode } from './code-block.ts';
import { callModel } from './model-call.ts';
import type { ModelAnswer } from './model-call.ts';
import { RunBudget } from './run-budget.ts';

/** The parts of the agent that a run uses. */
interface AgentContext {
  readonly memory: AgentMemory;
  readonly session: AgentSession;
  readonly toolbox: AgentToolbox;
  readonly options: CheckedAgentOptions;
}

const END_PLAN = '<end_plan>';

/** One run of an agent: a loop of planning, calling the model and running its code. */
export class AgentRun {
  readonly #memory: AgentMemory;
  readonly #session: AgentSession;
  readonly #toolbox: AgentToolbox;
  readonly #options: CheckedAgentOptions;
  readonly #request: CheckedAgentRunOptions;
  readonly #budget: RunBudget;
  readonly #maxSteps: number;
  readonly #interruption = new AbortController();
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  #stepCount = 0;
  #answer: unknown;

  constructor(
    { memory, session, toolbox, options }: AgentContext,
    request: CheckedAgentRunOptions,
  ) {
    this.#memory = memory;
    this.#session = session;
    this.#toolbox = toolbox;
    this.#options = options;
    this.#request = request;
    this.#budget = new RunBudget(request.maxTokens, request.maxToolCalls);
    this.#maxSteps = request.maxSteps ?? options.maxSteps;
    const signals = [this.#interruption.signal, request.signal, request.parent?.signal];
    this.#signal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  }

  interrupt(reason: unknown): void {
    // Keep the reason of the first stop.
    if (this.#signal.aborted) return;
    this.#interruption.abort(reason ?? new Error('The run was interrupted.'));
  }

  /** Rejects only with errors that the caller can correct. */
  async run(task: string): Promise<AgentResult> {
    const { reset, variables } = this.#request;
    if (reset) {
      this.#memory.reset();
      await this.#session.clear();
    }
    try {
      await this.#setVariables(variables);
      this.#memory.systemPrompt = this.#fillIn(this.#options.promptTemplates.system, task);
      await this.#addStep({ type: 'task', task, variables: Object.keys(variables) });
      const isAnswered = await this.#runSteps(task);
      if (!isAnswered) await this.#answerWithoutCode(task);
      return this.#result(isAnswered ? 'answered' : 'max_steps', undefined);
    } catch (thrown) {
      if (!(thrown instanceof RunEnd)) throw thrown;
      return this.#result(thrown.reason, thrown.cause);
    }
  }

  /** Runs steps until there is an answer or the steps are used up. Returns whether there is one. */
  async #runSteps(task: string): Promise<boolean> {
    const { planningInterval } = this.#options;
    for (let stepNumber = 1; stepNumber <= this.#maxSteps; stepNumber++) {
      if (planningInterval !== undefined && (stepNumber - 1) % planningInterval === 0) {
        await this.#plan(task, this.#maxSteps - stepNumber + 1);
      }
      this.#stepCount = stepNumber;
      if (await this.#runActionStep(stepNumber)) return true;
    }
    return false;
  }

  async #plan(task: string, remainingSteps: number): Promise<void> {
    const { planning } = this.#options.promptTemplates;
    const fill = (template: string): string => this.#fillIn(template, task, remainingSteps);
    // Earlier steps, also those of a memory from outside, make this a new plan.
    const isUpdate = this.#memory.steps.some(({ type }) => type === 'action');
    const modelInput: AgentMessage[] = isUpdate
      ? [
          { role: 'system', content: fill(planning.updatePlanBefore) },
          ...this.#memory.toMessages('summary'),
          { role: 'user', content: fill(planning.updatePlanAfter) },
        ]
      : [{ role: 'user', content: fill(planning.initialPlan) }];
    const call = await this.#callModel('planning', modelInput, [END_PLAN]);
    const [plan = ''] = call.modelOutput.split(END_PLAN, 1);
    await this.#addStep({ type: 'planning', plan: plan.trim(), isUpdate, ...call });
  }

  /** Calls the model and runs its code. Returns whether the step gave the answer. */
  async #runActionStep(stepNumber: number): Promise<boolean> {
    const call = await this.#callModel('action', this.#memory.toMessages(), []);
    const step: ActionStep = {
      type: 'action',
      stepNumber,
      observation: '',
      isFinal: false,
      ...call,
    };
    const read = readCode(call.modelOutput, call.isCut);
    let answer: { readonly value: unknown } | undefined;
    if (read.ok) {
      step.code = read.code;
      answer = await this.#execute(step, await this.#review(step, read.code));
    } else {
      step.error = { code: 'NO_CODE', message: read.message };
      step.observation = `Error: ${read.message}`;
    }
    const isAnswered = answer !== undefined && (await this.#check(step, answer.value));
    step.durationMs = Date.now() - step.startedAt;
    if (isAnswered) this.#answer = answer?.value;
    await this.#addStep(step);
    if (isAnswered) {
      await this.#addStep({ type: 'final', reason: 'answered', answer: this.#answer });
    }
    return isAnswered;
  }

  /** Runs the code of a step, and sets its observation. Returns the answer, if it gave one. */
  async #execute(step: ActionStep, code: string): Promise<{ readonly value: unknown } | undefined> {
    const { tools, given } = this.#toolbox.forStep(this.#budget, this.#request.parent);
    const { maxObservationCharacters } = this.#options;
    const { outcome, isStateLost } = await this.#inSession(() =>
      this.#session.run(code, {
        tools,
        signal: this.#signal,
        filename: `step-${step.stepNumber}.ts`,
      }),
    );
    this.#throwIfStopped();
    // A host that violated the protocol may have sent a false answer.
    const isHonest = outcome.ok || outcome.error.code !== 'PROTOCOL_ERROR';
    if (given.answer !== undefined && isHonest) {
      step.observation = 'The final answer was given.';
      return given.answer;
    }
    const text = renderOutcome(outcome, code, maxObservationCharacters);
    const note =
      'The declarations of earlier steps are lost; the variables of the task are defined again.';
    step.observation = isStateLost ? `${text}\n\n${note}` : text;
    if (!outcome.ok) step.error = { code: outcome.error.code, message: outcome.error.message };
    return undefined;
  }

  /** Runs the checks of an answer. If one fails, the observation tells the model why. */
  async #check(step: ActionStep, answer: unknown): Promise<boolean> {
    for (const check of this.#options.finalAnswerChecks) {
      let fault: string | undefined;
      try {
        const verdict = await check(answer, this.#memory);
        if (verdict === false) fault = `The check ${check.name || 'of the answer'} failed.`;
      } catch (thrown) {
        fault = readThrown(thrown).message;
      }
      this.#throwIfStopped();
      if (fault === undefined) continue;
      step.error = { code: 'CHECK_FAILED', message: fault };
      step.observation = `The final answer was not accepted: ${fault}`;
      return false;
    }
    step.isFinal = true;
    return true;
  }

  /** Asks the model for an answer as text, because the steps are used up. */
  async #answerWithoutCode(task: string): Promise<void> {
    const { before, after } = this.#options.promptTemplates.finalAnswer;
    const modelInput: AgentMessage[] = [
      { role: 'system', content: this.#fillIn(before, task) },
      ...this.#memory.toMessages('summary'),
      { role: 'user', content: this.#fillIn(after, task) },
    ];
    const { modelOutput } = await this.#callModel('final', modelInput, []);
    this.#answer = modelOutput;
    await this.#addStep({ type: 'final', reason: 'max_steps', answer: modelOutput });
  }

  async #callModel(
    step: Extract<AgentEvent, { type: 'text' }>['step'],
    modelInput: AgentMessage[],
    stopSequences: string[],
  ): Promise<ModelStep> {
    this.#throwIfStopped();
    if (!this.#budget.hasTokens) throw new RunEnd('token_budget');
    const { model, modelSettings: settings } = this.#options;
    const { stream } = this.#request;
    const startedAt = Date.now();
    let answer: ModelAnswer;
    try {
      answer = await callModel({
        model,
        settings,
        messages: modelInput,
        stopSequences,
        signal: this.#signal,
        onText: stream === undefined ? undefined : (text) => stream({ type: 'text', step, text }),
      });
    } catch (thrown) {
      this.#throwIfStopped();
      throw new RunEnd('model_error', thrown);
    }
    const { text: modelOutput, usage, isCut } = answer;
    this.#budget.spend(usage);
    this.#throwIfStopped();
    return {
      modelInput,
      modelOutput,
      ...(isCut ? { isCut } : {}),
      usage,
      startedAt,
      durationMs: Date.now() - startedAt,
    };
  }

  /** Adds a step to the memory and calls its callbacks, which may stop the run. */
  async #addStep(step: MemoryStep): Promise<void> {
    this.#memory.steps.push(step);
    const [own, ofRun] = this.#callbacks;
    const callbacks = [...own[step.type], ...own.any, ...ofRun[step.type], ...ofRun.any];
    await this.#callUser(async (context) => {
      await runCallbacks(callbacks, step, context);
      this.#request.stream?.({ type: 'step', step });
    });
    // After the final step, there is nothing left to stop.
    if (step.type !== 'final') this.#throwIfStopped();
  }

  /** Calls the `code` callbacks, which may change the code or stop the run. Returns the code. */
  async #review(step: ActionStep, code: string): Promise<string> {
    const [own, ofRun] = this.#callbacks;
    await this.#callUser((context) => runCallbacks([...own.code, ...ofRun.code], step, context));
    this.#throwIfStopped();
    // The model gets its output again in later calls: it must contain the code that ran.
    if (step.code !== undefined && step.code !== code) step.modelOutput = fence(step.code);
    return step.code ?? code;
  }

  get #callbacks(): readonly [CallbackTable, CallbackTable] {
    return [this.#options.stepCallbacks, this.#request.stepCallbacks];
  }

  /** Calls functions of the caller; if they throw, the run ends. */
  async #callUser(call: (context: StepContext) => Promise<void>): Promise<void> {
    try {
      await call({
        memory: this.#memory,
        signal: this.#signal,
        interrupt: (reason?: unknown) => this.interrupt(reason),
      });
    } catch (thrown) {
      this.#throwIfStopped();
      throw new RunEnd('callback_error', thrown);
    }
  }

  async #setVariables(variables: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#inSession(() => this.#session.setVariables(variables));
  }

  /** Uses the session. An error that is not a mistake of the caller ends the run. */
  async #inSession<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      this.#throwIfStopped();
      const isMisuse =
        isGloveboxError(thrown) &&
        (thrown.code === 'UNSERIALIZABLE_VARIABLES' || thrown.code === 'INVALID_OPTIONS');
      throw isMisuse ? thrown : new RunEnd('box_error', thrown);
    }
  }

  /** Throws if the run was stopped. */
  #throwIfStopped(): void {
    if (this.#interruption.signal.aborted) {
      throw new RunEnd('interrupted', this.#interruption.signal.reason);
    }
    if (this.#signal.aborted) throw new RunEnd('aborted', this.#signal.reason);
  }

  #fillIn(template: string, task: string, remainingSteps = this.#maxSteps): string {
    const { instructions, maxObservationCharacters } = this.#options;
    return fillIn(template, {
      task,
      tools: typesOf(this.#toolbox.tools),
      managedAgents: typesOf(this.#toolbox.agents),
      instructions,
      maxObservationCharacters,
      remainingSteps,
    }).trim();
  }

  #result(reason: AgentReason, cause: unknown): AgentResult {
    const { when, status } = AGENT_REASONS[reason];
    const why = cause === undefined ? '' : readThrown(cause).message;
    return {
      status,
      reason,
      answer: this.#answer,
      message: why === '' ? when : why,
      cause,
      stepCount: this.#stepCount,
      usage: this.#budget.usage,
      durationMs: performance.now() - this.#startedAt,
    };
  }
}

function typesOf(tools: readonly RegisteredTool[]): string {
  return tools.length === 0 ? 'None.' : fence(toolTypes(tools).trimEnd());
}
