import { z } from 'zod';

import { recordSchema } from '../shared/record-schema.ts';
import type { PauseWallClock } from './wall-clock.ts';

/** Information for a tool about the current call. */
export interface ToolContext {
  /** Aborted when the run ends, for whatever reason. */
  readonly signal: AbortSignal;
  /** The tool's name, as the guest called it. */
  readonly tool: string;
  /** Number of the call within its run, from 1. */
  readonly callId: number;
  /**
   * Pauses the wall clock while the tool waits for a person. Until the wait settles, no time counts
   * against `wallMs` of the run, nor of outer runs from which it was called. Returns the result of
   * the wait, or throws its error.
   */
  readonly pauseWallClock: PauseWallClock;
  /**
   * The idempotency key of the call, if the caller gave one. It is the same for every attempt, and
   * when the call is repeated after a crash. Pass it on to services that support idempotency keys.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A function that guest code can call. */
// `never` allows a function with any parameter type. The argument comes from the guest; an input
// schema, if there is one, validates it.
export type ToolFunction = (input: never, context: ToolContext) => unknown;

/** A tool function with its description and input schema. */
export interface ToolDefinition {
  readonly execute: ToolFunction;
  readonly description?: string | undefined;
  /** Standard Schema (zod 4, Valibot, ArkType): arguments are validated before `execute`. */
  readonly inputSchema?: StandardSchema | undefined;
}

export type Tools = Readonly<Record<string, ToolFunction | ToolDefinition>>;

/** The part of the Standard Schema interface that is used here: https://standardschema.dev */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
  };
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const toolFunction = z.custom<ToolFunction>((value) => typeof value === 'function', {
  error: 'must be a function or a tool definition',
});

const toolSchema = z.union([
  toolFunction,
  z.strictObject({
    execute: toolFunction,
    description: z.string().optional(),
    inputSchema: z
      .custom<StandardSchema>(
        (value) =>
          (typeof value === 'object' || typeof value === 'function') &&
          value !== null &&
          '~standard' in value,
        { error: 'must be a Standard Schema' },
      )
      .optional(),
  }),
]);

export const toolsSchema = recordSchema<Tools>().superRefine((tools, context) => {
  for (const [name, tool] of Object.entries(tools)) {
    for (const { message, path } of toolSchema.safeParse(tool).error?.issues ?? []) {
      context.addIssue({ code: 'custom', message, path: [name, ...path] });
    }
  }
});

/** The arguments of a call do not fit the tool's schema. */
class ToolInputError extends Error {
  override readonly name = 'ToolInputError';
  readonly code = 'INVALID_ARGUMENTS';
}

/** Validates the arguments and calls the tool. */
export async function callTool(
  tool: ToolFunction | ToolDefinition,
  input: unknown,
  context: ToolContext,
): Promise<unknown> {
  if (typeof tool === 'function') return tool(input as never, context);
  if (tool.inputSchema === undefined) return tool.execute(input as never, context);
  const result = await tool.inputSchema['~standard'].validate(input);
  if (result.issues !== undefined) throw new ToolInputError(describe(result.issues));
  return tool.execute(result.value as never, context);
}

function describe(issues: readonly StandardIssue[]): string {
  return issues
    .map(({ message, path }) => {
      const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part));
      return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
    })
    .join('; ');
}
