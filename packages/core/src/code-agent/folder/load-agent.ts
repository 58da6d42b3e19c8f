import type { LanguageModel } from 'ai';
import { z } from 'zod';

import type { Approve } from '../../dispatch/tool-approval.ts';
import type { Executor } from '../../executor/executor.ts';
import { callback, checkOptions, having } from '../../shared/check-options.ts';
import { GloveboxError } from '../../shared/errors.ts';
import { recordSchema } from '../../shared/record-schema.ts';
import type { AnyTool } from '../../tools/definition.ts';
import type { FinalAnswerCheck } from '../agent-options.ts';
import type { StepCallback } from '../callbacks.ts';
import { CodeAgent } from '../code-agent.ts';
import { modelIdOf, needsOf } from './folder-format.ts';
import type { AgentFolder, ToolEntry } from './folder-format.ts';
import { passiveSchema } from './passive-schema.ts';
import { readAgentFolder } from './read-folder.ts';

/** What a saved agent needs beside its folder. All but the executor by the names in the folder. */
export interface LoadAgentOptions {
  readonly executor: Executor;
  /** Models by `provider/id`, or by the text that names them, in place of what the AI SDK finds. */
  readonly models?: Readonly<Record<string, LanguageModel>> | undefined;
  /** Tools that are functions of the host; those that the folder does not name are left out. */
  readonly tools?: readonly AnyTool[] | undefined;
  // A callback is for the kind of step under which the folder has it.
  readonly callbacks?: Readonly<Record<string, StepCallback<never>>> | undefined;
  readonly finalAnswerChecks?: Readonly<Record<string, FinalAnswerCheck>> | undefined;
  /** Asks a person about calls that need approval; without it they are denied. */
  readonly approve?: Approve | undefined;
}

const optionsSchema = z.strictObject({
  executor: having<Executor>('openSession', 'an Executor'),
  models: recordSchema<Readonly<Record<string, LanguageModel>>>().default({}),
  tools: z.array(z.custom<AnyTool>()).default([]),
  callbacks: recordSchema<Readonly<Record<string, StepCallback>>>().default({}),
  finalAnswerChecks: recordSchema<Readonly<Record<string, FinalAnswerCheck>>>().default({}),
  approve: callback<Approve>().optional(),
});

type Supplies = z.output<typeof optionsSchema>;

/**
 * Makes an agent out of a folder. The folder is data: nothing in it runs on the host, and sources of
 * tools run in the box.
 *
 * @throws {GloveboxError} `AGENT_FOLDER_INVALID`; `AGENT_PARTS_MISSING`, with all that it misses;
 * `INVALID_OPTIONS`, `INVALID_SCHEMA`, `INVALID_NAME` for tools that no registry takes.
 */
export async function loadAgent(directory: string, options: LoadAgentOptions): Promise<CodeAgent> {
  const supplies = checkOptions(optionsSchema, options, 'loadAgent');
  const folder = await readAgentFolder(directory);
  checkSupplies(folder, supplies);
  return build(folder, supplies);
}

function checkSupplies(folder: AgentFolder, supplies: Supplies): void {
  const { models, tools, callbacks, finalAnswerChecks } = needsOf(folder);
  const missing = [
    ...lacks('models', models, (id) => Object.hasOwn(supplies.models, id)),
    ...lacks('tools', tools, (name) => supplies.tools.some((tool) => tool.name === name)),
    ...lacks('callbacks', callbacks, (name) => Object.hasOwn(supplies.callbacks, name)),
    ...lacks('finalAnswerChecks', finalAnswerChecks, (name) =>
      Object.hasOwn(supplies.finalAnswerChecks, name),
    ),
  ];
  if (missing.length === 0) return;
  const message = `The agent needs what was not given: ${missing.join('; ')}.`;
  throw new GloveboxError('AGENT_PARTS_MISSING', message);
}

/** What is missing of one kind, in words. */
function lacks(
  what: string,
  needed: readonly string[],
  has: (name: string) => boolean,
): readonly string[] {
  const missing = needed.filter((name) => !has(name));
  return missing.length === 0 ? [] : [`${what}: ${missing.join(', ')}`];
}

function build({ file, prompts, sources, managedAgents }: AgentFolder, given: Supplies): CodeAgent {
  const { name, description, modelSettings, instructions, planningInterval, limits } = file;
  return new CodeAgent({
    executor: given.executor,
    approve: given.approve,
    model: modelOf(file.model, given.models),
    modelSettings,
    name,
    description,
    instructions,
    planningInterval,
    maxSteps: file.maxSteps,
    maxObservationCharacters: file.maxObservationCharacters,
    limits,
    promptTemplates: prompts,
    tools: file.tools.map((entry) => toolOf(entry, sources, given.tools)),
    managedAgents: [...managedAgents.values()].map((inner) => build(inner, given)),
    stepCallbacks: Object.fromEntries(
      Object.entries(file.stepCallbacks).map(([kind, names]) => [
        kind,
        names.map((each) => named(each, given.callbacks)),
      ]),
    ),
    finalAnswerChecks: file.finalAnswerChecks.map((each) => named(each, given.finalAnswerChecks)),
  });
}

function modelOf(model: AgentFolder['file']['model'], models: Supplies['models']): LanguageModel {
  const id = modelIdOf(model);
  const found = Object.hasOwn(models, id) ? models[id] : undefined;
  return found ?? id;
}

function toolOf(
  entry: ToolEntry,
  sources: AgentFolder['sources'],
  tools: Supplies['tools'],
): AnyTool {
  if (entry.kind === 'source') {
    const { kind: _kind, inputSchema, outputSchema, ...definition } = entry;
    return {
      ...definition,
      ...(inputSchema === undefined ? {} : { inputSchema: passiveSchema(inputSchema) }),
      ...(outputSchema === undefined ? {} : { outputSchema: passiveSchema(outputSchema) }),
      source: sources.get(entry.name) ?? '',
    };
  }
  const found = tools.find(({ name }) => name === entry.name);
  if (found !== undefined) return found;
  // It was looked for before.
  throw new GloveboxError('AGENT_PARTS_MISSING', `The agent needs the tool ${entry.name}.`);
}

/** A function under the name that the folder has for it, so that it is saved under that again. */
function named<Args extends unknown[]>(
  name: string,
  functions: Readonly<Record<string, (...args: Args) => unknown>>,
): (...args: Args) => unknown {
  const found = functions[name];
  if (found === undefined) {
    throw new GloveboxError('AGENT_PARTS_MISSING', `The agent needs the function ${name}.`);
  }
  if (found.name === name) return found;
  return { [name]: (...args: Args) => found(...args) }[name] ?? found;
}
