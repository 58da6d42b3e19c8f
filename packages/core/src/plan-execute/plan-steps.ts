import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

interface StepBase {
  /** Whole number, unique within the plan. A later plan may use it again for the same purpose. */
  readonly id: number;
  /** The expected outcome, as information for planners and people; it is not checked. */
  readonly expectedOutcome?: string | undefined;
}

interface SingleStepBase extends StepBase {
  /**
   * Arguments, `{}` by default. Anywhere in them, `{ $result: id, path?: '/json/pointer' }` refers
   * to the result of an earlier step, and `{ $literal: value }` is the value itself.
   */
  readonly args?: unknown;
  /**
   * Whether to reuse the result that an earlier revision of the plan got for the same tool and
   * arguments; by default true if the tool is idempotent.
   */
  readonly reuse?: boolean | undefined;
}

/** A step that calls a tool of the registry. */
export interface ToolStep extends SingleStepBase {
  readonly toolName: string;
}

/** A step that runs code in the sandbox: the body of an async function. */
export interface CodeStep extends SingleStepBase {
  /** The code sees each property of the arguments as a variable, and all arguments as `args`. */
  readonly code: string;
  /** Names of the tools that the code may call; none by default. */
  readonly uses?: readonly string[] | undefined;
  /** `auto` (default) tries JavaScript first, then TypeScript without its types. */
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  readonly limits?: LimitsInput | undefined;
}

/** A step that is one call. */
export type SingleStep = ToolStep | CodeStep;

/**
 * How the branches of a gather are combined.
 *
 * - `all`: all must succeed; at the first failure the others are stopped. The result is an array.
 * - `settled`: all branches run, and the gather does not fail. The result is an array of
 *   `{ status: 'fulfilled', value }` and `{ status: 'rejected', reason }`.
 * - `race`: the first success is the result, and the others are stopped. The gather fails if all
 *   branches fail.
 */
export type GatherPolicy = 'all' | 'settled' | 'race';

/** Independent steps that run in parallel. Each counts as a step. */
export interface GatherStep extends StepBase {
  /** The branches; their results are in this order. */
  readonly gather: readonly SingleStep[];
  /** `all` by default. */
  readonly policy?: GatherPolicy | undefined;
  /** Maximum number of parallel branches; the agent's `concurrency` by default. */
  readonly concurrency?: number | undefined;
}

export type PlanStep = SingleStep | GatherStep;

/** The `toolName` of a step that is code. */
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

/**
 * Properties that a history record has in addition to its step. They are ignored, because a planner
 * may return a record as a step.
 */
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
  // The record of a code step has the tool name `plan.code`.
  const isCode = Object.hasOwn(value, 'code');
  return Object.fromEntries(
    Object.entries(value).filter(
      ([key]) => !RECORD_KEYS.has(key) && !(isCode && key === 'toolName'),
    ),
  );
}

/** A schema that depends on the value, so that errors are those of one kind of step only. */
function schemaByValue<T>(choose: (value: object) => z.ZodType<T>): z.ZodType<T> {
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

const singleStep = schemaByValue<SingleStep>((value) => ('code' in value ? codeStep : toolStep));

const gatherStep = z.strictObject({
  ...base,
  gather: z.array(singleStep).min(1),
  policy: z.enum(['all', 'settled', 'race']).optional(),
  concurrency: z.int().min(1).optional(),
});

const planStep = schemaByValue<PlanStep>((value) => ('gather' in value ? gatherStep : singleStep));

/** Schema of a plan: its steps, in order. */
export const planSchema = z.array(planStep);

export function isGather(step: PlanStep): step is GatherStep {
  return 'gather' in step;
}

/** The calls of a step: the step itself, or the branches of a gather. */
export function singleStepsOf(step: PlanStep): readonly SingleStep[] {
  return isGather(step) ? step.gather : [step];
}

export function toolNameOf(step: SingleStep): string {
  return 'code' in step ? CODE_TOOL_NAME : step.toolName;
}
