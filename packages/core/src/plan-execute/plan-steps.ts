import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

interface StepBase {
  /** Whole number of its own within the plan. A later plan may use it again for the same purpose. */
  readonly id: number;
  /** What should have come of it, for planners and people to read; nothing enforces it. */
  readonly expectedOutcome?: string | undefined;
}

interface SingleStepBase extends StepBase {
  /**
   * Arguments, `{}` by default. `{ $result: id, path?: '/json/pointer' }` anywhere in them stands for the result of
   * an earlier step, `{ $literal: value }` for the value as it is.
   */
  readonly args?: unknown;
  /**
   * Whether a result that an earlier revision of the plan has got for the same tool and arguments
   * is taken; by default where the tool is idempotent.
   */
  readonly reuse?: boolean | undefined;
}

/** A step that calls a tool of the registry. */
export interface ToolStep extends SingleStepBase {
  readonly toolName: string;
}

/** A step that runs code in the box: the body of an async function. */
export interface CodeStep extends SingleStepBase {
  /** Each property of the arguments is a variable of its name; `args` is all of them. */
  readonly code: string;
  /** Names of the tools that the code may call; none by default. */
  readonly uses?: readonly string[] | undefined;
  /** `auto` (default) tries JavaScript first, then TypeScript with its types stripped. */
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  readonly limits?: LimitsInput | undefined;
}

/** A step that is carried out as one call. */
export type SingleStep = ToolStep | CodeStep;

/**
 * - `all`: all must go well; at the first failure the others are stopped. The result is an array.
 * - `settled`: all are carried out, and none fails the step. The result is an array of
 *   `{ status: 'fulfilled', value }` and `{ status: 'rejected', reason }`.
 * - `race`: the first that goes well gives the result, and the others are stopped; it fails when
 *   all fail.
 */
export type GatherPolicy = 'all' | 'settled' | 'race';

/** Independent steps that are carried out at once. Each counts as a step. */
export interface GatherStep extends StepBase {
  /** The branches; results are in this order. */
  readonly gather: readonly SingleStep[];
  /** `all` by default. */
  readonly policy?: GatherPolicy | undefined;
  /** Branches under way at once; as the agent has it by default. */
  readonly concurrency?: number | undefined;
}

export type PlanStep = SingleStep | GatherStep;

/** What `toolName` says of a step that is code. */
export const CODE_TOOL_NAME = 'plan.code';

const base = {
  id: z.int(),
  expectedOutcome: z.string().optional(),
};

const single = {
  ...base,
  args: z.unknown().default({}),
  reuse: z.boolean().optional(),
};

const toolStep = z.strictObject({ ...single, toolName: z.string().min(1) });

const codeStep = z.strictObject({
  ...single,
  code: z.string().min(1),
  uses: z.array(z.string()).optional(),
  language: z.enum(['auto', 'javascript', 'typescript']).optional(),
  limits: limitsSchema.optional(),
});

/** What a record of the history has beyond its step: a planner may give the record itself again. */
const RECORD_KEYS: ReadonlySet<string> = new Set([
  'result',
  'error',
  'failure',
  'cached',
  'revision',
]);

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function withoutRecord(value: unknown): unknown {
  if (!isObject(value)) return value;
  // A code step in the history has the name that stands for code.
  const isCode = Object.hasOwn(value, 'code');
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key]) => !RECORD_KEYS.has(key) && !(isCode && key === 'toolName'),
    ),
  );
}

/** A schema that is chosen by what the value looks like, so that faults are told of one kind. */
function chosen<T>(choose: (value: object) => z.ZodType<T>): z.ZodType<T> {
  return z.unknown().transform((value, context) => {
    const own = withoutRecord(value);
    if (!isObject(own)) {
      context.addIssue('must be an object');
      return z.NEVER;
    }
    const parsed = choose(own).safeParse(own);
    if (parsed.success) return parsed.data;
    for (const { message, path } of parsed.error.issues) {
      context.addIssue({ code: 'custom', message, path });
    }
    return z.NEVER;
  });
}

const singleStep = chosen<SingleStep>((value) => ('code' in value ? codeStep : toolStep));

const gatherStep = z.strictObject({
  ...base,
  gather: z.array(singleStep).min(1),
  policy: z.enum(['all', 'settled', 'race']).optional(),
  concurrency: z.int().min(1).optional(),
});

const planStep = chosen<PlanStep>((value) => ('gather' in value ? gatherStep : singleStep));

/** Schema of a plan: its steps, in order. */
export const planSchema = z.array(planStep);

export function isGather(step: PlanStep): step is GatherStep {
  return 'gather' in step;
}

/** The steps that a step consists of: itself, or its branches. */
export function singleStepsOf(step: PlanStep): readonly SingleStep[] {
  return isGather(step) ? step.gather : [step];
}

export function toolNameOf(step: SingleStep): string {
  return 'code' in step ? CODE_TOOL_NAME : step.toolName;
}
