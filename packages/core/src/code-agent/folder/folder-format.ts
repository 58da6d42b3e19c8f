import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import type { JsonSchema } from '../../tools/definition.ts';
import { STEP_KINDS } from '../callbacks.ts';
import { modelSettingsSchema } from '../model-settings.ts';
import type { PromptTemplates } from '../prompt-templates.ts';

/** Names of the files and folders of a saved agent. */
export const FILES = {
  agent: 'agent.json',
  prompts: 'prompts.yaml',
  tools: 'tools',
  managedAgents: 'managed-agents',
  manifest: 'package.json',
  app: 'app.ts',
  host: 'host.ts',
} as const;

/** Maximum size of each file, in bytes. */
export const MAX_BYTES = {
  agent: 1024 * 1024,
  prompts: 4 * 1024 * 1024,
  source: 1024 * 1024,
} as const;

/** Maximum nesting depth of managed agents. */
export const MAX_DEPTH = 8;
/** Maximum number of tools, agents or callbacks. */
const MAX_ENTRIES = 256;

// Names are used as file names: only letters, digits, underscores, and single dots between words.
const name = z
  .string()
  .max(128)
  .regex(/^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/, {
    error: 'must be lower-case words with dots between them',
  });

const functionName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_$][\w$]*$/, {
    error: 'must be the name of a function',
  });

/** Maximum nesting depth of a schema. */
const MAX_SCHEMA_DEPTH = 64;
/** Maximum length of a schema, in characters: it becomes part of the prompt. */
const MAX_SCHEMA_CHARACTERS = 64 * 1024;

const jsonSchema = z
  .custom<JsonSchema>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    { error: 'must be a JSON Schema' },
  )
  .refine((value) => depthOf(value) <= MAX_SCHEMA_DEPTH, {
    error: `must not be deeper than ${MAX_SCHEMA_DEPTH}`,
    abort: true,
  })
  .refine((value) => JSON.stringify(value).length <= MAX_SCHEMA_CHARACTERS, {
    error: `must not have more than ${MAX_SCHEMA_CHARACTERS} characters`,
  });

/** The nesting depth of a value; stops counting just above the maximum. */
function depthOf(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null || depth > MAX_SCHEMA_DEPTH) return depth;
  let deepest = depth;
  for (const inner of Object.values(value)) deepest = Math.max(deepest, depthOf(inner, depth + 1));
  return deepest;
}

const tool = {
  name,
  description: z.string().optional(),
  inputSchema: jsonSchema.optional(),
  outputSchema: jsonSchema.optional(),
  idempotent: z.boolean().optional(),
  needsApproval: z.boolean().optional(),
  timeoutMs: z.int().min(1).optional(),
};

const toolEntry = z.discriminatedUnion('kind', [
  /** A function of the host. Its description and schemas are only information for readers. */
  z.strictObject({ kind: z.literal('host'), ...tool }),
  /** Source code that runs in the sandbox, from the file with the tool's name. */
  z.strictObject({
    kind: z.literal('source'),
    ...tool,
    language: z.enum(['auto', 'javascript', 'typescript']).optional(),
    limits: limitsSchema.optional(),
    uses: z.array(name).max(MAX_ENTRIES).optional(),
  }),
]);

/** Schema of `agent.json`. Unknown properties are refused: they could change the meaning. */
export const agentFileSchema = z.strictObject({
  format: z.literal(1, { error: 'must be 1: other formats need another version of Glovebox' }),
  class: z.literal('CodeAgent', { error: 'must be "CodeAgent", which is the only class' }),
  name: name.optional(),
  description: z.string().optional(),
  model: z.union([
    z.string().min(1).max(256),
    z.strictObject({ provider: z.string().max(256), id: z.string().min(1).max(256) }),
  ]),
  modelSettings: modelSettingsSchema.optional(),
  instructions: z.string().optional(),
  planningInterval: z.int().min(1).optional(),
  maxSteps: z.int().min(1),
  maxObservationCharacters: z.int().min(200),
  limits: limitsSchema.optional(),
  tools: z.array(toolEntry).max(MAX_ENTRIES),
  managedAgents: z.array(name).max(MAX_ENTRIES),
  stepCallbacks: z.partialRecord(z.enum(STEP_KINDS), z.array(functionName).max(MAX_ENTRIES)),
  finalAnswerChecks: z.array(functionName).max(MAX_ENTRIES),
});

export type AgentFile = z.output<typeof agentFileSchema>;
export type ToolEntry = AgentFile['tools'][number];

/** The id by which a model is looked up: `provider/id`, or its name if it is a string. */
export function modelIdOf(model: AgentFile['model']): string {
  return typeof model === 'string' ? model : `${model.provider}/${model.id}`;
}

/** A saved agent and its managed agents, as data. */
export interface AgentFolder {
  readonly file: AgentFile;
  readonly prompts: PromptTemplates;
  /** Source code of tools, by name. */
  readonly sources: ReadonlyMap<string, string>;
  readonly managedAgents: ReadonlyMap<string, AgentFolder>;
}

/** Names of the parts that a folder does not contain and that must be given to load it. */
export interface AgentNeeds {
  /** As `provider/id`; a model that is given as a string is not needed. */
  readonly models: readonly string[];
  /** Tools that are functions of the host. */
  readonly tools: readonly string[];
  readonly callbacks: readonly string[];
  readonly finalAnswerChecks: readonly string[];
}

/** The parts that must be given to load a folder. */
export function needsOf(folder: AgentFolder): AgentNeeds {
  const all = [folder];
  // The loop also visits the folders that it adds.
  for (const { managedAgents } of all) all.push(...managedAgents.values());
  const files = all.map(({ file }) => file);
  return {
    models: unique(
      files.flatMap(({ model }) => (typeof model === 'string' ? [] : [modelIdOf(model)])),
    ),
    tools: unique(
      files.flatMap(({ tools }) =>
        tools.filter(({ kind }) => kind === 'host').map((entry) => entry.name),
      ),
    ),
    callbacks: unique(files.flatMap(({ stepCallbacks }) => Object.values(stepCallbacks).flat())),
    finalAnswerChecks: unique(files.flatMap(({ finalAnswerChecks }) => finalAnswerChecks)),
  };
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}

/** Whether a text is a valid function name, so that a callback or check can be saved by it. */
export function isFunctionName(text: string): boolean {
  return functionName.safeParse(text).success;
}
