import { fence } from '../../code-mode/fence.ts';
import { renderOutcome } from '../../code-mode/render-outcome.ts';
import { isGloveboxError } from '../../shared/errors.ts';
import { readThrown } from '../../shared/thrown.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import { toolTypes } from '../../tools/tool-types.ts';
import type { AgentEvent, CheckedAgentOptions, CheckedRunOptions } from '../agent-options.ts';
import { AGENT_REASONS } from '../agent-reasons.ts';
import type { AgentReason } from '../agent-reasons.ts';
import { RunEnd } from '../agent-result.ts';
import type { AgentResult } from '../agent-result.ts';
import { callBack } from '../callbacks.ts';
import type { CallbackTable, StepContext } from '../callbacks.ts';
import type { AgentMemory } from '../memory/agent-memory.ts';
import type { ActionStep, AgentMessage, MemoryStep, ModelStep } from '../memory/agent-steps.ts';
import { fillIn } from '../prompt-templates.ts';
import type { AgentTools } from './agent-toolbox.ts';
import type { AgentBox } from './box.ts';
import { RunBudget } from './budget.ts';
import { readCode } from './code-block.ts';
import { askModel } from './model-call.ts';
import type { ModelAnswer } from './model-call.ts';

/** What a run works with. */
interface Surroundings {
  readonly memory: AgentMemory;
  readonly box: AgentBox;
  readonly tools: AgentTools;
  readonly options: CheckedAgentOptions;
}

const END_PLAN = '<end_plan>';

/** One run of an agent: the loop of planning, asking, running and telling. */
export class AgentRun {
  readonly #memory: AgentMemory;
  readonly #box: AgentBox;
  readonly #tools: AgentTools;
  readonly #options: CheckedAgentOptions;
  readonly #request: CheckedRunOptions;
  readonly #budget: RunBudget;
  readonly #maxSteps: number;
  readonly #interruption = new AbortController();
  readonly #signal: AbortSignal;
  readonly #startedAt = performance.now();
  #stepCount = 0;
  #answer: unknown;

  constructor({ memory, box, tools, options }: Surroundings, request: CheckedRunOptions) {
    this.#memory = memory;
    this.#box = box;
    this.#tools = tools;
    this.#options = options;
    this.#request = request;
    this.#budget = new RunBudget(request.maxTokens, request.maxToolCalls);
    this.#maxSteps = request.maxSteps ?? options.maxSteps;
    const signals = [this.#interruption.signal, request.signal, request.parent?.signal];
    this.#signal = AbortSignal.any(signals.filter((signal) => signal !== undefined));
  }

  interrupt(reason: unknown): void {
    // What came first is the reason.
    if (this.#signal.aborted) return;
    this.#interruption.abort(reason ?? new Error('The run was interrupted.'));
  }

  /** Throws only what the caller is to mend. */
  async run(task: string): Promise<AgentResult> {
    const { reset, variables } = this.#request;
    if (reset) {
      this.#memory.reset();
      await this.#box.clear();
    }
    try {
      await this.#giveVariables(variables);
      this.#memory.systemPrompt = this.#fillIn(this.#options.promptTemplates.system, task);
      await this.#remember({ type: 'task', task, variables: Object.keys(variables) });
      const isAnswered = await this.#solve(task);
      if (!isAnswered) await this.#giveUp(task);
      return this.#result(isAnswered ? 'answered' : 'max_steps', undefined);
    } catch (thrown) {
      if (!(thrown instanceof RunEnd)) throw thrown;
      return this.#result(thrown.reason, thrown.cause);
    }
  }

  /** Whether there is an answer. */
  async #solve(task: string): Promise<boolean> {
    const { planningInterval } = this.#options;
    for (let stepNumber = 1; stepNumber <= this.#maxSteps; stepNumber++) {
      if (planningInterval !== undefined && (stepNumber - 1) % planningInterval === 0) {
        await this.#plan(task, this.#maxSteps - stepNumber + 1);
      }
      this.#stepCount = stepNumber;
      if (await this.#act(stepNumber)) return true;
    }
    return false;
  }

  async #plan(task: string, remainingSteps: number): Promise<void> {
    const { planning } = this.#options.promptTemplates;
    const fill = (template: string): string => this.#fillIn(template, task, remainingSteps);
    // What came before, also from outside, is what a new plan is made of.
    const isUpdate = this.#memory.steps.some(({ type }) => type === 'action');
    const modelInput: AgentMessage[] = isUpdate
      ? [
          { role: 'system', content: fill(planning.updatePlanBefore) },
          ...this.#memory.toMessages('summary'),
          { role: 'user', content: fill(planning.updatePlanAfter) },
        ]
      : [{ role: 'user', content: fill(planning.initialPlan) }];
    const asked = await this.#ask('planning', modelInput, [END_PLAN]);
    const [plan = ''] = asked.modelOutput.split(END_PLAN, 1);
    await this.#remember({ type: 'planning', plan: plan.trim(), isUpdate, ...asked });
  }

  /** Whether the step gave the answer. */
  async #act(stepNumber: number): Promise<boolean> {
    const asked = await this.#ask('action', this.#memory.toMessages(), []);
    const step: ActionStep = {
      type: 'action',
      stepNumber,
      observation: '',
      isFinal: false,
      ...asked,
    };
    const read = readCode(asked.modelOutput, asked.isCut);
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
    await this.#remember(step);
    if (isAnswered) {
      await this.#remember({ type: 'final', reason: 'answered', answer: this.#answer });
    }
    return isAnswered;
  }

  /** Runs the code of a step, and writes down what the model is told of it. */
  async #execute(step: ActionStep, code: string): Promise<{ readonly value: unknown } | undefined> {
    const { tools, given } = this.#tools.forStep(this.#budget, this.#request.parent);
    const { maxObservationCharacters } = this.#options;
    const { outcome, isStateLost } = await this.#inBox(() =>
      this.#box.run(code, {
        tools,
        signal: this.#signal,
        filename: `step-${step.stepNumber}.ts`,
      }),
    );
    this.#checkGoing();
    // A host that broke the protocol may have sent anything.
    const isHonest = outcome.ok || outcome.error.code !== 'PROTOCOL_ERROR';
    if (given.answer !== undefined && isHonest) {
      step.observation = 'The final answer was given.';
      return given.answer;
    }
    const text = renderOutcome(outcome, code, maxObservationCharacters);
    const note =
      'What the code of earlier steps declared is gone; the variables of the task are there anew.';
    step.observation = isStateLost ? `${text}\n\n${note}` : text;
    if (!outcome.ok) step.error = { code: outcome.error.code, message: outcome.error.message };
    return undefined;
  }

  /** Whether an answer is taken; what speaks against it is told to the model. */
  async #check(step: ActionStep, answer: unknown): Promise<boolean> {
    for (const check of this.#options.finalAnswerChecks) {
      let fault: string | undefined;
      try {
        const verdict = await check(answer, this.#memory);
        if (verdict === false) fault = `The check ${check.name || 'of the answer'} failed.`;
      } catch (thrown) {
        fault = readThrown(thrown).message;
      }
      this.#checkGoing();
      if (fault === undefined) continue;
      step.error = { code: 'CHECK_FAILED', message: fault };
      step.observation = `The final answer was not taken: ${fault}`;
      return false;
    }
    step.isFinal = true;
    return true;
  }

  /** The steps are used up: the model says what it can in words. */
  async #giveUp(task: string): Promise<void> {
    const { before, after } = this.#options.promptTemplates.finalAnswer;
    const modelInput: AgentMessage[] = [
      { role: 'system', content: this.#fillIn(before, task) },
      ...this.#memory.toMessages('summary'),
      { role: 'user', content: this.#fillIn(after, task) },
    ];
    const { modelOutput } = await this.#ask('final', modelInput, []);
    this.#answer = modelOutput;
    await this.#remember({ type: 'final', reason: 'max_steps', answer: modelOutput });
  }

  async #ask(
    step: Extract<AgentEvent, { type: 'text' }>['step'],
    modelInput: AgentMessage[],
    stopSequences: string[],
  ): Promise<ModelStep> {
    this.#checkGoing();
    if (!this.#budget.hasTokens) throw new RunEnd('token_budget');
    const { model, modelSettings: settings } = this.#options;
    const { stream } = this.#request;
    const startedAt = Date.now();
    let answer: ModelAnswer;
    try {
      answer = await askModel({
        model,
        settings,
        messages: modelInput,
        stopSequences,
        signal: this.#signal,
        onText: stream === undefined ? undefined : (text) => stream({ type: 'text', step, text }),
      });
    } catch (thrown) {
      this.#checkGoing();
      throw new RunEnd('model_error', thrown);
    }
    const { text: modelOutput, usage, isCut } = answer;
    this.#budget.spend(usage);
    this.#checkGoing();
    return {
      modelInput,
      modelOutput,
      ...(isCut ? { isCut } : {}),
      usage,
      startedAt,
      durationMs: Date.now() - startedAt,
    };
  }

  /** Puts a step into the memory and tells those who listen; they may stop the run. */
  async #remember(step: MemoryStep): Promise<void> {
    this.#memory.steps.push(step);
    const [own, ofRun] = this.#callbacks;
    const calls = [...own[step.type], ...own.any, ...ofRun[step.type], ...ofRun.any];
    await this.#tell(async (context) => {
      await callBack(calls, step, context);
      this.#request.stream?.({ type: 'step', step });
    });
    // An answer that is there cannot be stopped any more.
    if (step.type !== 'final') this.#checkGoing();
  }

  /** Shows people the code of a step before it runs: they may change it, or stop the run. */
  async #review(step: ActionStep, code: string): Promise<string> {
    const [own, ofRun] = this.#callbacks;
    await this.#tell((context) => callBack([...own.code, ...ofRun.code], step, context));
    this.#checkGoing();
    // The model's own words are what it is told later: they must be about the code that ran.
    if (step.code !== undefined && step.code !== code) step.modelOutput = fence(step.code);
    return step.code ?? code;
  }

  get #callbacks(): readonly [CallbackTable, CallbackTable] {
    return [this.#options.stepCallbacks, this.#request.stepCallbacks];
  }

  /** Calls what is the caller's. */
  async #tell(call: (context: StepContext) => Promise<void>): Promise<void> {
    try {
      await call({
        memory: this.#memory,
        signal: this.#signal,
        interrupt: (reason?: unknown) => this.interrupt(reason),
      });
    } catch (thrown) {
      this.#checkGoing();
      throw new RunEnd('callback_error', thrown);
    }
  }

  async #giveVariables(variables: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#inBox(() => this.#box.give(variables));
  }

  /** Does something for which a session is needed. What is no fault of the caller ends the run. */
  async #inBox<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      this.#checkGoing();
      const isMisuse =
        isGloveboxError(thrown) &&
        (thrown.code === 'UNSERIALIZABLE_VARIABLES' || thrown.code === 'INVALID_OPTIONS');
      throw isMisuse ? thrown : new RunEnd('box_error', thrown);
    }
  }

  /** Throws when the run was stopped. */
  #checkGoing(): void {
    if (this.#interruption.signal.aborted) {
      throw new RunEnd('interrupted', this.#interruption.signal.reason);
    }
    if (this.#signal.aborted) throw new RunEnd('aborted', this.#signal.reason);
  }

  #fillIn(template: string, task: string, remainingSteps = this.#maxSteps): string {
    const { instructions, maxObservationCharacters } = this.#options;
    return fillIn(template, {
      task,
      tools: typesOf(this.#tools.tools),
      managedAgents: typesOf(this.#tools.agents),
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
