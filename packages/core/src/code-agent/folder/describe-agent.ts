import type { LanguageModel } from 'ai';

import type { RegisteredTool } from '../../tools/tool-registry.ts';
import type { ManagedAgent } from '../agent-options.ts';
import { STEP_KINDS } from '../callbacks.ts';
import { isFunctionName } from './folder-format.ts';
import type { AgentFile, AgentFolder, ToolEntry } from './folder-format.ts';
import { isPassive } from './passive-schema.ts';

/**
 * An agent as its folder has it. Keys are in one order, so that the same agent is the same text.
 *
 * @param omitted Is told, in words, what cannot be saved.
 * @param where The agents within which this one is.
 */
export function describeAgent(agent: ManagedAgent, omitted: string[], where = ''): AgentFolder {
  const { options, tools, memory } = agent;
  const omit = (what: string): void => void omitted.push(`${where}${what}`);
  if (options.approve !== undefined) omit('approve: give it again when loading');
  if (options.dispatcher !== undefined) {
    omit('dispatcher: its tools are saved, and none of its settings');
  }
  if (memory.steps.length > 0) omit('memory: keep its steps apart, they are plain data');
  const known = new Map<string, unknown>();
  const namesOf = (functions: readonly NamedFunction[], what: string): string[] =>
    functions.flatMap((each) => {
      const { name } = each;
      const fault = !isFunctionName(name)
        ? 'has no name'
        : (known.get(`${what}:${name}`) ?? each) === each
          ? undefined
          : `has the name ${name}, which another one has too`;
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
        omit(`tools: ${name}: of its ${side}, what JSON Schema cannot say`);
      }
    }
    if (typeof needsApproval === 'function') {
      omit(`tools: ${name}: what decides about approval; all of its calls need it now`);
    }
  }
  const common = {
    name,
    ...defined({
      description,
      inputSchema: inputJsonSchema,
      outputSchema: outputJsonSchema,
      idempotent,
      // Where a function decides, the safe answer is saved.
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

/** An object without what is undefined. */
function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  // What is left has no undefined values; the type says just that.
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: Exclude<T[Key], undefined>;
  };
}
