import type { LimitsInput } from '@glovebox/protocol/limits';
import { deserialize } from '@glovebox/serializer/safe';

import { AgentSession } from '../../code-agent/run/agent-session.ts';
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
  /** Opens the session in which all code runs. */
  readonly executor: Executor;
  /** Limits of each call. */
  readonly limits?: LimitsInput | undefined;
  /** Name of the function that code calls with the final answer; `final_answer` by default. */
  readonly finalAnswer?: string | undefined;
}

/** The output of one call. */
export interface CodeOutput {
  /** The final answer, if the code gave one; otherwise the return value. */
  readonly output: unknown;
  /** Lines that the code wrote to `console`. */
  readonly logs: string;
  readonly isFinalAnswer: boolean;
  /** Whether the declarations of earlier calls are lost; the variables that were sent remain. */
  readonly isStateLost: boolean;
}

const MAX_ERROR_CHARACTERS = 20_000;

const variablesSchema = recordSchema<Readonly<Record<string, unknown>>>();

/**
 * An executor with the interface of the remote executors of smolagents, for agents that follow the
 * same pattern. The code is JavaScript or TypeScript; its declarations are visible in later calls.
 * Tools are functions that run in this process: their source code is not sent.
 */
export class RemoteExecutor implements AsyncDisposable {
  readonly #session: AgentSession;
  readonly #finalAnswer: string;
  #tools: Tools = {};
  readonly #variables = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  #cleanup = new AbortController();

  /** @throws {GloveboxError} `INVALID_NAME` if `finalAnswer` is not a valid tool name. */
  constructor({ executor, limits, finalAnswer = 'final_answer' }: RemoteExecutorOptions) {
    checkToolName(finalAnswer);
    this.#finalAnswer = finalAnswer;
    this.#session = new AgentSession(executor, limits);
  }

  /**
   * Makes variables visible to all later code. They are an object, or `safe:` text of an object, as
   * written by Python's `SafeSerializer.dumps`.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`; what
   * `executor.openSession` throws.
   * @throws {SerializationError} if the text cannot be read.
   */
  async sendVariables(given: Readonly<Record<string, unknown>> | string): Promise<void> {
    const read: unknown = typeof given === 'string' ? deserialize(given) : given;
    const variables = checkOptions(variablesSchema, read, 'sendVariables');
    const names = Object.keys(variables);
    this.#checkNames(names, this.#tools);
    await this.#enqueue(() => this.#session.setVariables(variables));
    for (const name of names) this.#variables.add(name);
  }

  /**
   * Adds tools that all later code may call. If a tool has the name of the final-answer function,
   * its result is the final answer.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`.
   */
  sendTools(given: Tools): void {
    const tools = { ...this.#tools, ...checkOptions(toolsSchema, given, 'sendTools') };
    this.#checkNames([], tools);
    this.#tools = tools;
  }

  /**
   * Runs code. Calls run one after the other.
   *
   * @throws {AgentToolError} if the code failed: name and code are those of the error that it
   * threw, or of the exceeded limit.
   * @throws {GloveboxError} What `executor.openSession` throws.
   */
  async call(
    code: string,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CodeOutput> {
    const final = new FinalAnswer();
    const { outcome, isStateLost } = await this.#enqueue(() => {
      const tools = final.wrapTools(this.#tools, this.#finalAnswer);
      const cleanup = this.#cleanup.signal;
      const combined = signal === undefined ? cleanup : AbortSignal.any([signal, cleanup]);
      return this.#session.run(code, { tools, signal: combined, filename: 'code.ts' });
    });
    const logs = outcome.logs.map(({ text }) => text).join('\n');
    if (final.given !== undefined) {
      return { output: final.given.value, logs, isFinalAnswer: true, isStateLost };
    }
    if (outcome.ok) return { output: outcome.value, logs, isFinalAnswer: false, isStateLost };
    const text = renderOutcome(outcome, code, MAX_ERROR_CHARACTERS);
    const lost = isStateLost ? '\nThe declarations of earlier code are lost.' : '';
    throw new AgentToolError(text + lost, outcome.error);
  }

  /**
   * Closes the session; code that still runs ends with `ABORTED`. The next call opens a new session
   * with the variables that were sent.
   */
  async cleanup(): Promise<void> {
    this.#cleanup.abort(new Error('The executor was cleaned up.'));
    await this.#enqueue(async () => {
      await this.#session.close();
      // Replaced inside the queue: the next call may already be waiting, and needs the new signal.
      this.#cleanup = new AbortController();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  /** Runs `work` after all earlier work on the session has ended, even if that failed. */
  async #enqueue<T>(work: () => Promise<T>): Promise<T> {
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
        throw new GloveboxError(
          'INVALID_NAME',
          `${name} is the name of both a variable and a tool.`,
        );
      }
    }
  }
}
