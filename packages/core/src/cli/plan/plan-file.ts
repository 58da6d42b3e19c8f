import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { z } from 'zod';

import { fixedPlanner } from '../../plan-execute/fixed-planner.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import { messageOf } from '../../shared/message-of.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { isRegistry, loadRegistry } from '../shared/registry-module.ts';

/** Contents of a plan file or a planner module, with defaults. */
export interface LoadedPlan {
  readonly goal: string;
  readonly planner: Planner;
  readonly registry: ToolRegistry;
  readonly maxSteps: number | undefined;
  readonly maxReplans: number | undefined;
}

const budget = z.int().min(0).optional();

const fileSchema = z.object({
  goal: z.string().optional(),
  // The agent validates the steps.
  steps: z.array(z.unknown()),
  maxSteps: budget,
  maxReplans: budget,
});

const moduleSchema = z.object({
  goal: z.string().optional(),
  planner: z.custom<Planner>((value) => typeof value === 'function').optional(),
  steps: z.array(z.unknown()).optional(),
  registry: z.custom<ToolRegistry>(isRegistry).optional(),
  maxSteps: budget,
  maxReplans: budget,
});

/**
 * Loads a JSON file with the steps of a plan, or a module with a planner. A module is the user's
 * own code: it runs in this process, with all rights.
 *
 * @param registryModule A module that exports the registry of tools.
 * @throws Error if the file cannot be read, or has neither steps nor a planner.
 */
export async function loadPlan(
  file: string,
  registryModule: string | undefined,
): Promise<LoadedPlan> {
  const isJson = path.extname(file) === '.json';
  const { goal, planner, steps, ...rest } = isJson ? await readJson(file) : await loadModule(file);
  if (planner === undefined && steps === undefined) {
    throw new Error(`${file} exports neither a planner nor steps.`);
  }
  const own = 'registry' in rest ? rest.registry : undefined;
  return {
    goal: goal ?? path.basename(file),
    planner: planner ?? fixedPlanner(steps ?? []),
    registry:
      registryModule === undefined
        ? (own ?? new ToolRegistry())
        : await loadRegistry(registryModule),
    maxSteps: rest.maxSteps,
    maxReplans: rest.maxReplans,
  };
}

interface Contents extends z.infer<typeof moduleSchema> {}

async function readJson(file: string): Promise<Contents> {
  const text = await readFile(file, 'utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${file} is not JSON: ${messageOf(cause)}`, { cause });
  }
  return check(file, fileSchema, Array.isArray(json) ? { steps: json } : json);
}

async function loadModule(file: string): Promise<Contents> {
  const loaded = (await import(pathToFileURL(path.resolve(file)).href)) as Record<string, unknown>;
  const { default: given } = loaded;
  const named =
    typeof given === 'function' ? 'planner' : Array.isArray(given) ? 'steps' : undefined;
  return check(file, moduleSchema, named === undefined ? loaded : { [named]: given, ...loaded });
}

function check<T>(file: string, schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`${file} is not a valid plan: ${faults.join('; ')}`);
}
