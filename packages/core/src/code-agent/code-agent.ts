import { z } from 'zod';

import { Dispatcher } from '../dispatch/dispatcher.ts';
import { checkVariableName, globalOf } from '../executor/guest-names.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import type { TypedTool } from '../tools/definition.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { agentRunOptionsSchema, codeAgentOptionsSchema } from './agent-options.ts';
import type {
  AgentRunOptions,
  CheckedAgentOptions,
  CodeAgentOptions,
  ManagedAgent,
  ManagedTask,
} from './agent-options.ts';
import type { AgentResult } from './agent-result.ts';
import { saveAgent } from './folder/save-agent.ts';
import type { SavedAgent } from './folder/save-agent.ts';
import { AgentMemory } from './memory/agent-memory.ts';
import { fillIn } from './prompt-templates.ts';
import { AgentRun } from './run/agent-run.ts';
import { AgentSession } from './run/agent-session.ts';
import { AgentToolbox, FINAL_ANSWER } from './run/agent-toolbox.ts';

const taskSchema = z.string('must be a text');

const managedInput = z.object({
  task: z.string().describe('The task, with all the information that the agent needs.'),
  variables: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values that the code of the agent sees as variables.'),
});

/**
 * An agent whose model acts by writing code. The sandbox runs the code, the model gets the result,
 * and `finalAnswer(value)` in the code ends the task with a value.
 */
export class CodeAgent implements ManagedAgent, AsyncDisposable {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** The memory of the agent. It may be read and changed between runs. */
  readonly memory: AgentMemory;
  readonly #given: CodeAgentOptions;
  readonly #options: CheckedAgentOptions;
  readonly #toolbox: AgentToolbox;
  readonly #session: AgentSession;
  #run: AgentRun | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  /**
   * @throws {GloveboxError} `INVALID_OPTIONS`, also for a prompt with an unknown placeholder; what
   * `ToolRegistry.register` throws for the tools.
   */
  constructor(options: CodeAgentOptions) {
    const checked = checkOptions(codeAgentOptionsSchema, options, 'CodeAgent');
    const { name, description, executor, tools = [], approve, managedAgents, limits } = checked;
    this.name = name;
    this.description = description;
    this.memory = checked.memory ?? new AgentMemory();
    this.#given = options;
    this.#options = checked;
    this.#toolbox = new AgentToolbox(
      checked.dispatcher ?? dispatcherOf(tools, executor),
      approve,
      managedAgents,
    );
    this.#session = new AgentSession(executor, limits);
  }

  /** The options of the agent, with defaults. */
  get options(): Readonly<CheckedAgentOptions> {
    return this.#options;
  }

  /** The tools that the agent's code may call, without managed agents. */
  get tools(): readonly RegisteredTool[] {
    return this.#toolbox.tools;
  }

  /**
   * Solves a task. Failures of the model, its code and the tools do not reject: the result has the
   * reason.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`,
   * `AGENT_BUSY`.
   */
  async run<T = unknown>(task: string, options: AgentRunOptions = {}): Promise<AgentResult<T>> {
    const checked = checkOptions(agentRunOptionsSchema, options, 'run');
    const checkedTask = checkOptions(taskSchema, task, 'run');
    this.#checkVariables(Object.keys(checked.variables));
    if (this.#run !== undefined) {
      throw new GloveboxError(
        'AGENT_BUSY',
        'The agent is working on another task; create a second agent.',
      );
    }
    const run = new AgentRun(
      {
        memory: this.memory,
        session: this.#session,
        toolbox: this.#toolbox,
        options: this.#options,
      },
      checked,
    );
    this.#run = run;
    const result = run.run(checkedTask);
    this.#ended = result.catch(() => undefined);
    try {
      // The caller states the type of the answer; nothing checks it.
      return (await result) as AgentResult<T>;
    } finally {
      this.#run = undefined;
    }
  }

  /**
   * Stops the current run, even during a step: nothing runs afterwards. The run can be continued
   * with `run(task, { reset: false })`. Does nothing if no run is in progress.
   *
   * @param reason The `cause` of the result.
   */
  interrupt(reason?: unknown): void {
    this.#run?.interrupt(reason);
  }

  /**
   * The agent as a tool: each call is a separate run with an empty memory. The signal, the budgets
   * and the approval of the call apply to the run. The caller's clocks are paused during the run.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS` if the agent has no name or no description.
   */
  asTool(): TypedTool<ManagedTask> {
    const { name, description } = this;
    if (name === undefined || description === undefined) {
      const message = 'An agent that others call needs a name and a description.';
      throw new GloveboxError('INVALID_OPTIONS', message, { path: 'name' });
    }
    return {
      name,
      description,
      inputSchema: managedInput,
      execute: (input, context) =>
        // The run is limited by steps and tokens, not by time.
        context.pauseWallClock(() => this.#runManaged(name, input, context)),
    };
  }

  async #runManaged(
    name: string,
    { task, variables = {} }: ManagedTask,
    parent: ToolContext,
  ): Promise<unknown> {
    // A separate agent for each call, because calls may run in parallel.
    await using agent = new CodeAgent({ ...this.#given, memory: undefined });
    const { managedAgent } = this.#options.promptTemplates;
    const prompt = fillIn(managedAgent.task, { name, task });
    const result = await agent.run(prompt, { variables, parent });
    if (result.reason === 'answered') return result.answer;
    throw Object.assign(new Error(`${name} gave no answer: ${result.message}`), {
      name: 'AgentError',
      code: result.reason,
      details: result.answer,
    });
  }

  /**
   * Saves the agent in a folder, where it can be read, reviewed and run. The folder must be new,
   * empty, or contain an agent, which is replaced. The memory is not saved.
   *
   * @returns The files that were written, and what could not be saved.
   * @throws {GloveboxError} `INVALID_OPTIONS`; or errors of the file system.
   */
  save(directory: string): Promise<SavedAgent> {
    return saveAgent(this, directory);
  }

  #checkVariables(names: readonly string[]): void {
    const taken = new Set(
      [
        FINAL_ANSWER,
        ...[...this.#toolbox.tools, ...this.#toolbox.agents].map(({ name }) => name),
      ].map(globalOf),
    );
    for (const name of names) {
      checkVariableName(name);
      if (!taken.has(name)) continue;
      const message = `${name} is the name of both a variable and a tool.`;
      throw new GloveboxError('INVALID_NAME', message, { path: 'variables' });
    }
  }

  /**
   * Stops the current run, and closes the session of the code. A callback of the run must not await
   * it, because it waits for the end of the run.
   */
  async close(): Promise<void> {
    this.interrupt('The agent was closed.');
    // Wait for the run to end: it may be opening a session.
    await this.#ended;
    await this.#session.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

function dispatcherOf(
  tools: NonNullable<CheckedAgentOptions['tools']>,
  executor: CheckedAgentOptions['executor'],
): Dispatcher {
  const registry = new ToolRegistry();
  for (const tool of tools) registry.register(tool);
  return new Dispatcher({ registry, executor });
}
