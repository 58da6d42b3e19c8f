import { z } from 'zod';

import type { ToolContext } from '../executor/run-tools.ts';
import { abortSignal, callback } from '../shared/check-options.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Approve } from './tool-approval.ts';

/** How many calls may still be made; one object may be shared by any number of dispatches. */
export interface CallBudget {
  /** Goes down by one with each tool that is called, retries apart. */
  remaining: number;
}

/** One call of a tool. */
export interface DispatchRequest {
  /** Its name in the registry; or a tool that is for this call only, as another registry took it. */
  readonly tool: string | RegisteredTool;
  readonly args?: unknown;
  /**
   * The caller's name for this one call. While a call with it is under way, and as long as its
   * value is remembered, further ones get the same value and the tool is not called again. It
   * belongs to this tool with these arguments. `STEP:TOOL:HASH_OF_ARGUMENTS` is a good form.
   */
  readonly idempotencyKey?: string | undefined;
  /** Time of one attempt, in milliseconds, in place of the tool's own. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly budget?: CallBudget | undefined;
  /** Asks about this call and those within it, in place of the dispatcher's own `approve`. */
  readonly approve?: Approve | undefined;
  /** The model's id of the call, for traces. */
  readonly callId?: string | undefined;
  /**
   * The context of the tool call within which this one is made. Its signal ends this call too,
   * waits for a person stop its clock, and its budget counts this call.
   */
  readonly parent?: ToolContext | undefined;
}

/** A time that a timer can wait, in milliseconds. */
export const timerMs = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);

const budget = z.custom<CallBudget>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'remaining' in value &&
    typeof value.remaining === 'number' &&
    !Number.isNaN(value.remaining),
  { error: 'must have a number `remaining`' },
);

const parent = z.custom<ToolContext>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'signal' in value &&
    value.signal instanceof AbortSignal &&
    'pauseWallClock' in value &&
    typeof value.pauseWallClock === 'function',
  { error: 'must be the context of a tool call' },
);

const unlisted = z.custom<RegisteredTool>(
  // What comes from a model or another machine has no functions.
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    'validateInput' in value &&
    typeof value.validateInput === 'function',
);

export const dispatchRequestSchema = z.strictObject({
  tool: z.union([z.string(), unlisted], { error: 'must be the name of a tool' }),
  args: z.unknown().optional(),
  idempotencyKey: z.string().min(1).max(1024).optional(),
  timeoutMs: timerMs.optional(),
  signal: abortSignal.optional(),
  budget: budget.optional(),
  approve: callback<Approve>().optional(),
  callId: z.string().optional(),
  parent: parent.optional(),
});
