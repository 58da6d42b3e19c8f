import { z } from 'zod';

import { Dispatcher } from '../dispatch/dispatcher.ts';
import { checkVariableName, globalOf } from '../executor/guest-names.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import type { TypedTool } from '../tools/definition.ts';
import { ToolRegistry } from '../tools/tool-registry.ts';
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
import { AgentTools, FINAL_ANSWER } from './run/agent-toolbox.ts';
import { AgentBox } from './run/box.ts';

const taskSchema = z.string('must be a text');

const managedInput = z.object({
  task: z.string().describe('What the agent is to do, with all that it needs to know.'),
  variables: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Values that its code finds by their names.'),
});

/**
 * An agent whose model acts by writing code: the box runs it, what came of it goes back to the
 * model, and `finalAnswer(value)` in the code ends the task with a value.
 */
export class CodeAgent implements ManagedAgent, AsyncDisposable {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** What the agent remembers; it may be looked at and changed between runs. */
  readonly memory: AgentMemory;
  readonly #given: CodeAgentOptions;
  readonly #options: CheckedAgentOptions;
  readonly #tools: AgentTools;
  readonly #box: AgentBox;
  #run: AgentRun | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  /**
   * @throws {GloveboxError} `INVALID_OPTIONS`, also for a prompt with an unknown placeholder; for
   * tools those of `ToolRegistry.register`.
   */
  constructor(options: CodeAgentOptions) {
    const checked = checkOptions(codeAgentOptionsSchema, options, 'CodeAgent');
    const { name, description, executor, tools = [], approve, managedAgents, limits } = checked;
    this.name = name;
    this.description = description;
    this.memory = checked.memory ?? new AgentMemory();
    this.#given = options;
    this.#options = checked;
    this.#tools = new AgentTools(
      checked.dispatcher ?? dispatcherOf(tools, executor),
      approve,
      managedAgents,
    );
    this.#box = new AgentBox(executor, limits);
  }

  /** What the agent was made with, and the defaults of the rest. */
  get options(): Readonly<CheckedAgentOptions> {
    return this.#options;
  }

  /** The tools that its code may call, without other agents. */
  get tools(): AgentTools['tools'] {
    return this.#tools.tools;
  }

  /**
   * Solves a task. Resolves however it ends, whatever the model, its code and the tools do.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`,
   * `AGENT_BUSY`.
   */
  async run<T = unknown>(task: string, options: AgentRunOptions = {}): Promise<AgentResult<T>> {
    const checked = checkOptions(agentRunOptionsSchema, options, 'run');
    const checkedTask = checkOptions(taskSchema, task, 'run');
    this.#checkVariables(Object.keys(checked.variables));
    if (this.#run !== undefined) {
      throw new GloveboxError('AGENT_BUSY', 'The agent is at work; make another one.');
    }
    const run = new AgentRun(
      { memory: this.memory, box: this.#box, tools: this.#tools, options: this.#options },
      checked,
    );
    this.#run = run;
    const result = run.run(checkedTask);
    this.#ended = result.catch(() => undefined);
    try {
      // Of which type the code's answers are is the caller's word.
      return (await result) as AgentResult<T>;
    } finally {
      this.#run = undefined;
    }
  }

  /**
   * Stops the run that is under way, also within a step: nothing runs afterwards. It can go on with
   * `run(task, { reset: false })`. Does nothing when none is under way.
   *
   * @param reason Is in the result as its cause.
   */
  interrupt(reason?: unknown): void {
    this.#run?.interrupt(reason);
  }

  /**
   * The agent as a tool: each call is a run of its own, with an empty memory. Signal, budgets and
   * approval are those of the call; the caller's clocks stand still meanwhile.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`: it has no name or no description.
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
        // Its own limits are steps and tokens, not time.
        context.pauseWallClock(() => this.#runManaged(name, input, context)),
    };
  }

  async #runManaged(
    name: string,
    { task, variables = {} }: ManagedTask,
    parent: ToolContext,
  ): Promise<unknown> {
    // One agent for each call: several may come at once.
    await using agent = new CodeAgent({ ...this.#given, memory: undefined });
    const { managedAgent } = this.#options.promptTemplates;
    const put = fillIn(managedAgent.task, { name, task });
    const result = await agent.run(put, { variables, parent });
    if (result.reason === 'answered') return result.answer;
    throw Object.assign(new Error(`${name} gave no answer: ${result.message}`), {
      name: 'AgentError',
      code: result.reason,
      details: result.answer,
    });
  }

  /**
   * Writes the agent into a folder, which can be read, reviewed and run: a new or empty one, or one
   * that holds an agent, which is replaced. Memory is not saved.
   *
   * @returns What it wrote, and what could not be saved.
   * @throws {GloveboxError} `INVALID_OPTIONS`; or what the file system says.
   */
  save(directory: string): Promise<SavedAgent> {
    return saveAgent(this, directory);
  }

  #checkVariables(names: readonly string[]): void {
    const taken = new Set(
      [FINAL_ANSWER, ...[...this.#tools.tools, ...this.#tools.agents].map(({ name }) => name)].map(
        globalOf,
      ),
    );
    for (const name of names) {
      checkVariableName(name);
      if (!taken.has(name)) continue;
      const message = `${name} is the name of a variable and of a tool.`;
      throw new GloveboxError('INVALID_NAME', message, { path: 'variables' });
    }
  }

  /**
   * Stops what is under way, and ends the session in which the code ran. A callback of the run must
   * not wait for it: it waits for the run.
   */
  async close(): Promise<void> {
    this.interrupt('The agent was closed.');
    // It may be about to open a session.
    await this.#ended;
    await this.#box.close();
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
