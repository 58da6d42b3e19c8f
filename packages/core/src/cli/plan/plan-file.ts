import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { z } from 'zod';

import { fixedPlanner } from '../../plan-execute/fixed-planner.ts';
import type { Planner } from '../../plan-execute/planner.ts';
import { messageOf } from '../../shared/message-of.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { isRegistry, loadRegistry } from '../shared/registry-module.ts';

/** What a plan file or a planner module says. */
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
  // The agent reads the steps themselves.
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
 * Loads a file of JSON with the steps of a plan, or a module with a planner. A module is code of the
 * user's own: it runs here, with all rights.
 *
 * @param registryModule A module that exports the tools.
 * @throws Error It cannot be read, or is neither.
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
    throw new Error(`${file} holds no JSON: ${messageOf(cause)}`, { cause });
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
  throw new Error(`${file} is no plan: ${faults.join('; ')}`);
}
