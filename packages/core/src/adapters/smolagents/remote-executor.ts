import type { LimitsInput } from '@glovebox/protocol/limits';
import { deserialize } from '@glovebox/serializer/safe';

import { AgentBox } from '../../code-agent/run/box.ts';
import { renderOutcome } from '../../code-mode/render-outcome.ts';
import type { Executor } from '../../executor/executor.ts';
import {
  checkToolClashes,
  checkToolName,
  checkVariableName,
  globalOf,
} from '../../executor/guest-names.ts';
import { toolsSchema } from '../../executor/run-tools.ts';
import type { Tools } from '../../executor/run-tools.ts';
import { checkOptions } from '../../shared/check-options.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { recordSchema } from '../../shared/record-schema.ts';
import { AgentToolError } from '../common/agent-tool-error.ts';
import { FinalAnswer } from './final-answer.ts';

export interface RemoteExecutorOptions {
  /** Holds the session in which all code runs. */
  readonly executor: Executor;
  /** Limits of each call. */
  readonly limits?: LimitsInput | undefined;
  /** Name of the function by which code gives the final answer; `final_answer` by default. */
  readonly finalAnswer?: string | undefined;
}

/** What became of a piece of code. */
export interface CodeOutput {
  /** The final answer, where the code gave one; else what the code returned. */
  readonly output: unknown;
  /** What the code wrote to `console`, in lines. */
  readonly logs: string;
  readonly isFinalAnswer: boolean;
  /** Whether what earlier code declared is gone; the variables that were sent are there. */
  readonly isStateLost: boolean;
}

const MAX_ERROR_CHARACTERS = 20_000;

const variablesSchema = recordSchema<Readonly<Record<string, unknown>>>();

/**
 * An executor of the shape that smolagents gives its remote ones, for agents that are written after
 * its pattern. The code is JavaScript or TypeScript; what it declares is there in the next call.
 * Tools stay functions of this process: no source of theirs is sent.
 */
export class RemoteExecutor implements AsyncDisposable {
  readonly #box: AgentBox;
  readonly #finalAnswer: string;
  #tools: Tools = {};
  readonly #variables = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  #cleanup = new AbortController();

  /** @throws {GloveboxError} `INVALID_NAME`, of `finalAnswer`. */
  constructor({ executor, limits, finalAnswer = 'final_answer' }: RemoteExecutorOptions) {
    checkToolName(finalAnswer);
    this.#finalAnswer = finalAnswer;
    this.#box = new AgentBox(executor, limits);
  }

  /**
   * Gives variables to all code to come: an object, or `safe:` text of one, such as Python's
   * `SafeSerializer.dumps` writes.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`; those of
   * `executor.openSession`.
   * @throws {SerializationError} The text cannot be read.
   */
  async sendVariables(given: Readonly<Record<string, unknown>> | string): Promise<void> {
    const read: unknown = typeof given === 'string' ? deserialize(given) : given;
    const variables = checkOptions(variablesSchema, read, 'sendVariables');
    const names = Object.keys(variables);
    this.#checkNames(names, this.#tools);
    await this.#afterOthers(() => this.#box.give(variables));
    for (const name of names) this.#variables.add(name);
  }

  /**
   * Gives tools to all code to come, beside those that it has. One with the name of the final
   * answer's function makes the answer out of what code gives to it.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`.
   */
  sendTools(given: Tools): void {
    const tools = { ...this.#tools, ...checkOptions(toolsSchema, given, 'sendTools') };
    this.#checkNames([], tools);
    this.#tools = tools;
  }

  /**
   * Runs code after the code that was called before it.
   *
   * @throws {AgentToolError} The code failed: name and code are those of what it threw, or of the
   * limit.
   * @throws {GloveboxError} Those of `executor.openSession`.
   */
  async call(
    code: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CodeOutput> {
    const final = new FinalAnswer();
    const { outcome, isStateLost } = await this.#afterOthers(() => {
      const tools = final.within(this.#tools, this.#finalAnswer);
      const cleanup = this.#cleanup.signal;
      const either = signal === undefined ? cleanup : AbortSignal.any([signal, cleanup]);
      return this.#box.run(code, { tools, signal: either, filename: 'code.ts' });
    });
    const logs = outcome.logs.map(({ text }) => text).join('\n');
    if (final.given !== undefined) {
      return { output: final.given.value, logs, isFinalAnswer: true, isStateLost };
    }
    if (outcome.ok) return { output: outcome.value, logs, isFinalAnswer: false, isStateLost };
    const text = renderOutcome(outcome, code, MAX_ERROR_CHARACTERS);
    const lost = isStateLost ? '\nWhat earlier code declared is gone.' : '';
    throw new AgentToolError(text + lost, outcome.error);
  }

  /**
   * Ends the session, and what runs in it as `ABORTED`. Another call opens a new one, with the
   * variables that were sent.
   */
  async cleanup(): Promise<void> {
    this.#cleanup.abort(new Error('The executor was cleaned up.'));
    await this.#afterOthers(async () => {
      await this.#box.close();
      // Here, and not after it: a call may be waiting already.
      this.#cleanup = new AbortController();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  /** Works on the session when all that was asked for before is done, whatever became of it. */
  async #afterOthers<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  #checkNames(variables: readonly string[], tools: Tools): void {
    const toolNames = new Set([...Object.keys(tools), this.#finalAnswer]);
    for (const name of toolNames) checkToolName(name);
    checkToolClashes(toolNames);
    for (const name of variables) checkVariableName(name);
    const toolGlobals = new Set([...toolNames].map(globalOf));
    for (const name of [...this.#variables, ...variables]) {
      if (toolGlobals.has(name)) {
        throw new GloveboxError('INVALID_NAME', `${name} is the name of a variable and of a tool.`);
      }
    }
  }
}
