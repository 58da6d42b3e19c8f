import { z } from 'zod';

import type { ToolContext } from '../executor/run-tools.ts';
import { abortSignal, callback } from '../shared/check-options.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { Approve } from './tool-approval.ts';

/** A limit for the number of calls. Several dispatches may share one object. */
export interface CallBudget {
  /** Calls that may still be made. Each call decreases it by one; retries do not. */
  remaining: number;
}

/** One call of a tool. */
export interface DispatchRequest {
  /** The name of a tool in the registry, or a registered tool of another registry. */
  readonly tool: string | RegisteredTool;
  readonly args?: unknown;
  /**
   * Identifies this call. While a call with the same key is in progress, and as long as its value is
   * cached, further calls with the key get the same value, and the tool is not called again. A key
   * is valid for one tool with the same arguments. `STEP:TOOL:HASH_OF_ARGUMENTS` is a good format.
   */
  readonly idempotencyKey?: string | undefined;
  /** Time limit of one attempt, in milliseconds. Overrides that of the tool. */
  readonly timeoutMs?: number | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  readonly budget?: CallBudget | undefined;
  /** Asks for approval of this call and its nested calls, instead of the dispatcher's `approve`. */
  readonly approve?: Approve | undefined;
  /** The model's id of the call, for traces. */
  readonly callId?: string | undefined;
  /**
   * The context of the outer tool call, if this call is nested. The outer signal also aborts this
   * call, waits for approval pause the outer clock, and this call uses the outer budget.
   */
  readonly parent?: ToolContext | undefined;
}

/** Schema of a time in milliseconds that a timer supports. */
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
  // Data from a model or another machine cannot contain functions, so it cannot pass as a tool.
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
