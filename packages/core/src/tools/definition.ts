import type { LimitsInput } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { z } from 'zod';

import type { StandardSchema, ToolContext } from '../executor/run-tools.ts';

/** A JSON Schema, of draft 2020-12 unless its `$schema` says draft-07. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A Standard Schema that can be converted to JSON Schema: https://standardschema.dev */
export interface StandardSchemaWithJson<Output = unknown> extends StandardSchema {
  readonly '~standard': StandardSchema['~standard'] & {
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: JsonSchemaOptions) => Record<string, unknown>;
      readonly output: (options: JsonSchemaOptions) => Record<string, unknown>;
    };
  };
}

interface JsonSchemaOptions {
  readonly target: 'draft-2020-12';
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** Schema of the arguments or of the result of a tool. */
export type ToolSchema = StandardSchemaWithJson | JsonSchema;

/** Information about the call for a function that decides whether it needs approval. */
export interface ApprovalContext {
  /** Name of the tool. */
  readonly tool: string;
  /** Aborted when the caller no longer needs the call. */
  readonly signal: AbortSignal;
}

/** Decides whether one call needs approval. Its arguments have been validated. */
type NeedsApproval<Args> = (args: Args, context: ApprovalContext) => boolean | Promise<boolean>;

interface ToolDefinitionBase {
  /**
   * Lower-case words with dots between them, such as `orders.total`. Guest code calls the tool by
   * this name.
   */
  readonly name: string;
  /** What the tool does, for a model. */
  readonly description?: string | undefined;
  /** Validates the arguments before the tool is called. Without it, any arguments are accepted. */
  readonly inputSchema?: ToolSchema | undefined;
  /** Validates the result before the caller gets it. */
  readonly outputSchema?: ToolSchema | undefined;
  /** Whether a repeated call has the same effect as a single one; `false` by default. */
  readonly idempotent?: boolean | undefined;
  /** Whether a person must approve each call, or a function that decides; `false` by default. */
  readonly needsApproval?: boolean | NeedsApproval<unknown> | undefined;
  /** Time limit of one attempt, in milliseconds. */
  readonly timeoutMs?: number | undefined;
}

/** A tool that is a function of the application. It runs outside the sandbox. */
export interface TrustedTool extends ToolDefinitionBase {
  /** Called with validated arguments. What it throws is the error of the call. */
  // `never` allows a function with any parameter type; the schema validates the arguments.
  readonly execute: (args: never, context: ToolContext) => unknown;
}

/** A trusted tool whose arguments have the output type of its Standard Schema. */
export interface TypedTool<Args> extends Omit<
  TrustedTool,
  'inputSchema' | 'needsApproval' | 'execute'
> {
  readonly inputSchema: StandardSchemaWithJson<Args>;
  readonly needsApproval?: boolean | NeedsApproval<Args> | undefined;
  readonly execute: (args: Args, context: ToolContext) => unknown;
}

/** A tool that is source code. It runs in the sandbox. */
export interface UntrustedTool extends ToolDefinitionBase {
  /**
   * The body of an async function. Each property of the arguments whose name is a valid variable
   * name is a variable; `args` is the whole value.
   */
  readonly source: string;
  /** `auto` (default) tries JavaScript first, then TypeScript with its types stripped. */
  readonly language?: 'auto' | 'javascript' | 'typescript' | undefined;
  /** Limits of each run. */
  readonly limits?: LimitsInput | undefined;
  /** Names of the tools that the source may call; none by default. */
  readonly uses?: readonly string[] | undefined;
}

export type AnyTool = TrustedTool | UntrustedTool;

const schema = z.custom<ToolSchema>(
  // ArkType's schemas are functions.
  (value) =>
    (typeof value === 'object' && value !== null && !Array.isArray(value)) ||
    typeof value === 'function',
  { error: 'must be a Standard Schema or a JSON Schema' },
);

const base = {
  name: z.string(),
  description: z.string().optional(),
  inputSchema: schema.optional(),
  outputSchema: schema.optional(),
  idempotent: z.boolean().optional(),
  needsApproval: z
    .custom<ToolDefinitionBase['needsApproval']>(
      (value) => typeof value === 'boolean' || typeof value === 'function',
      { error: 'must be a boolean or a function' },
    )
    .optional(),
  timeoutMs: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
};

const trusted = z.strictObject({
  ...base,
  execute: z.custom<TrustedTool['execute']>((value) => typeof value === 'function', {
    error: 'must be a function',
  }),
});

const untrusted = z.strictObject({
  ...base,
  source: z.string(),
  language: z.enum(['auto', 'javascript', 'typescript']).optional(),
  limits: limitsSchema.optional(),
  uses: z.array(z.string()).optional(),
});

/** The schema of a definition: that of an untrusted tool if it has `source`. */
export function definitionSchemaOf(definition: unknown): z.ZodType<AnyTool> {
  const isUntrusted =
    typeof definition === 'object' && definition !== null && 'source' in definition;
  return isUntrusted ? untrusted : trusted;
}
