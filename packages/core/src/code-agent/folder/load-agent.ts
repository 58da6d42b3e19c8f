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

/** The parts of a saved agent that its folder does not contain, by their names in the folder. */
export interface LoadAgentOptions {
  readonly executor: Executor;
  /** Models by `provider/id` or by name; other names are resolved by the AI SDK. */
  readonly models?: Readonly<Record<string, LanguageModel>> | undefined;
  /** Tools that are functions of the host; tools that the folder does not name are ignored. */
  readonly tools?: readonly AnyTool[] | undefined;
  // `never`, because the folder decides for which kind of step a callback is called.
  readonly callbacks?: Readonly<Record<string, StepCallback<never>>> | undefined;
  readonly finalAnswerChecks?: Readonly<Record<string, FinalAnswerCheck>> | undefined;
  /** Asks a person to approve calls that need approval; without it they are denied. */
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

type AgentParts = z.output<typeof optionsSchema>;

/**
 * Loads an agent from a folder. The folder is data: nothing in it runs on the host, and the source
 * code of tools runs in the sandbox.
 *
 * @throws {GloveboxError} `AGENT_FOLDER_INVALID`; `AGENT_PARTS_MISSING`, with all missing parts;
 * `INVALID_OPTIONS`, `INVALID_SCHEMA`, `INVALID_NAME` for tools that are not valid.
 */
export async function loadAgent(directory: string, options: LoadAgentOptions): Promise<CodeAgent> {
  const parts = checkOptions(optionsSchema, options, 'loadAgent');
  const folder = await readAgentFolder(directory);
  checkParts(folder, parts);
  return build(folder, parts);
}

function checkParts(folder: AgentFolder, parts: AgentParts): void {
  const { models, tools, callbacks, finalAnswerChecks } = needsOf(folder);
  const missing = [
    ...missingOf('models', models, (id) => Object.hasOwn(parts.models, id)),
    ...missingOf('tools', tools, (name) => parts.tools.some((tool) => tool.name === name)),
    ...missingOf('callbacks', callbacks, (name) => Object.hasOwn(parts.callbacks, name)),
    ...missingOf('finalAnswerChecks', finalAnswerChecks, (name) =>
      Object.hasOwn(parts.finalAnswerChecks, name),
    ),
  ];
  if (missing.length === 0) return;
  const message = `The agent needs parts that were not given: ${missing.join('; ')}.`;
  throw new GloveboxError('AGENT_PARTS_MISSING', message);
}

/** The missing parts of one kind as text; empty if there are none. */
function missingOf(
  what: string,
  needed: readonly string[],
  has: (name: string) => boolean,
): readonly string[] {
  const missing = needed.filter((name) => !has(name));
  return missing.length === 0 ? [] : [`${what}: ${missing.join(', ')}`];
}

function build(
  { file, prompts, sources, managedAgents }: AgentFolder,
  parts: AgentParts,
): CodeAgent {
  const { name, description, modelSettings, instructions, planningInterval, limits } = file;
  return new CodeAgent({
    executor: parts.executor,
    approve: parts.approve,
    model: modelOf(file.model, parts.models),
    modelSettings,
    name,
    description,
    instructions,
    planningInterval,
    maxSteps: file.maxSteps,
    maxObservationCharacters: file.maxObservationCharacters,
    limits,
    promptTemplates: prompts,
    tools: file.tools.map((entry) => toolOf(entry, sources, parts.tools)),
    managedAgents: [...managedAgents.values()].map((inner) => build(inner, parts)),
    stepCallbacks: Object.fromEntries(
      Object.entries(file.stepCallbacks).map(([kind, names]) => [
        kind,
        names.map((each) => functionNamed(each, parts.callbacks)),
      ]),
    ),
    finalAnswerChecks: file.finalAnswerChecks.map((each) =>
      functionNamed(each, parts.finalAnswerChecks),
    ),
  });
}

function modelOf(model: AgentFolder['file']['model'], models: AgentParts['models']): LanguageModel {
  const id = modelIdOf(model);
  const found = Object.hasOwn(models, id) ? models[id] : undefined;
  return found ?? id;
}

function toolOf(
  entry: ToolEntry,
  sources: AgentFolder['sources'],
  tools: AgentParts['tools'],
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
  // `checkParts` has already checked this.
  throw new GloveboxError('AGENT_PARTS_MISSING', `The agent needs the tool ${entry.name}.`);
}

/** A function with the name that it has in the folder, so that it is saved by the same name. */
function functionNamed<Args extends unknown[]>(
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
