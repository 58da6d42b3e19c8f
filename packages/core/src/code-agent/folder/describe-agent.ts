import type { LanguageModel } from 'ai';

import type { RegisteredTool } from '../../tools/tool-registry.ts';
import type { ManagedAgent } from '../agent-options.ts';
import { STEP_KINDS } from '../callbacks.ts';
import { isFunctionName } from './folder-format.ts';
import type { AgentFile, AgentFolder, ToolEntry } from './folder-format.ts';
import { isPassive } from './passive-schema.ts';

/**
 * Describes an agent as the data of its folder. Keys have a fixed order, so that equal agents give
 * equal texts.
 *
 * @param omitted Receives a text for each part that cannot be saved.
 * @param where Prefix for these texts: the names of the outer agents.
 */
export function describeAgent(agent: ManagedAgent, omitted: string[], where = ''): AgentFolder {
  const { options, tools, memory } = agent;
  const omit = (what: string): void => void omitted.push(`${where}${what}`);
  if (options.approve !== undefined) omit('approve: must be given again when the agent is loaded');
  if (options.dispatcher !== undefined) {
    omit('dispatcher: its tools are saved, but not its settings');
  }
  if (memory.steps.length > 0)
    omit('memory: its steps are plain data and can be stored separately');
  const known = new Map<string, unknown>();
  const namesOf = (functions: readonly NamedFunction[], what: string): string[] =>
    functions.flatMap((each) => {
      const { name } = each;
      const fault = !isFunctionName(name)
        ? 'has no name'
        : (known.get(`${what}:${name}`) ?? each) === each
          ? undefined
          : `has the same name as another one, ${name}`;
      if (fault === undefined) {
        known.set(`${what}:${name}`, each);
        return [name];
      }
      omit(`${what}: one ${fault}`);
      return [];
    });
  const stepCallbacks = STEP_KINDS.flatMap((kind) => {
    const names = namesOf(options.stepCallbacks[kind], 'stepCallbacks');
    return names.length === 0 ? [] : [[kind, names] as const];
  });
  const file: AgentFile = {
    format: 1,
    class: 'CodeAgent',
    ...defined({ name: agent.name, description: agent.description }),
    model: describeModel(options.model),
    ...(Object.keys(options.modelSettings).length === 0
      ? {}
      : { modelSettings: options.modelSettings }),
    ...(options.instructions === '' ? {} : { instructions: options.instructions }),
    ...defined({ planningInterval: options.planningInterval }),
    maxSteps: options.maxSteps,
    maxObservationCharacters: options.maxObservationCharacters,
    ...defined({ limits: options.limits }),
    tools: tools.map((tool) => describeTool(tool, omit)),
    managedAgents: options.managedAgents.map(({ name = '' }) => name),
    stepCallbacks: Object.fromEntries(stepCallbacks),
    finalAnswerChecks: namesOf(options.finalAnswerChecks, 'finalAnswerChecks'),
  };
  const sources = tools.flatMap(({ name, definition }) =>
    'source' in definition ? [[name, definition.source] as const] : [],
  );
  const managed = options.managedAgents.map((each) => {
    const { name = '' } = each;
    return [name, describeAgent(each, omitted, `${where}${name}: `)] as const;
  });
  return {
    file,
    prompts: options.promptTemplates,
    sources: new Map(sources),
    managedAgents: new Map(managed),
  };
}

interface NamedFunction {
  readonly name: string;
}

function describeModel(model: LanguageModel): AgentFile['model'] {
  return typeof model === 'string' ? model : { provider: model.provider, id: model.modelId };
}

function describeTool(
  { name, definition, inputJsonSchema, outputJsonSchema }: RegisteredTool,
  omit: (what: string) => void,
): ToolEntry {
  const { description, idempotent, needsApproval, timeoutMs } = definition;
  const isSource = 'source' in definition;
  if (isSource) {
    for (const side of ['inputSchema', 'outputSchema'] as const) {
      const schema = definition[side] ?? {};
      if ('~standard' in schema && !isPassive(schema)) {
        omit(`tools: ${name}: the part of its ${side} that JSON Schema cannot express`);
      }
    }
    if (typeof needsApproval === 'function') {
      omit(`tools: ${name}: the function needsApproval; all its calls now need approval`);
    }
  }
  const common = {
    name,
    ...defined({
      description,
      inputSchema: inputJsonSchema,
      outputSchema: outputJsonSchema,
      idempotent,
      // A function cannot be saved: save the safe value.
      needsApproval: typeof needsApproval === 'function' ? true : needsApproval,
      timeoutMs,
    }),
  };
  if (!isSource) return { kind: 'host', ...common };
  const { language, limits, uses } = definition;
  return {
    kind: 'source',
    ...common,
    ...defined({ language, limits, uses: uses === undefined ? undefined : [...uses] }),
  };
}

/** Removes undefined properties. */
function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  // The filter has removed undefined values, as the type says.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
