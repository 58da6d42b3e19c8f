import { z } from 'zod';

import type { PauseWallClock } from '../executor/wall-clock.ts';
import { readThrown } from '../shared/thrown.ts';
import type { AnyTool } from '../tools/definition.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import { ABORTED, untilAborted } from './abort.ts';
import { checkInput } from './checks.ts';
import type { ToolResult } from './checks.ts';

/** A call that waits for approval. */
export interface ApprovalRequest {
  /** Number of the dispatch, as in its events. */
  readonly dispatchId: number;
  readonly tool: string;
  readonly description: string | undefined;
  /** The arguments that the tool gets. */
  readonly args: unknown;
  /** Names of the tools of the outer calls, the outermost first. */
  readonly within: readonly string[];
}

export type ApprovalDecision =
  | { readonly decision: 'approve' }
  | { readonly decision: 'deny'; readonly reason?: string | undefined }
  /** Approves the call with other arguments, which are validated like the original ones. */
  | { readonly decision: 'edit'; readonly args: unknown };

/**
 * Asks a person to approve a call. It may take any time: clocks are paused meanwhile.
 *
 * @param context.signal Aborted when the answer is no longer needed.
 */
export type Approve = (
  request: ApprovalRequest,
  context: { readonly signal: AbortSignal },
) => ApprovalDecision | Promise<ApprovalDecision>;

const decisionSchema = z.discriminatedUnion('decision', [
  z.strictObject({ decision: z.literal('approve') }),
  z.strictObject({ decision: z.literal('deny'), reason: z.string().optional() }),
  z.strictObject({ decision: z.literal('edit'), args: z.unknown() }),
]);

/**
 * Asks for approval of a call, if the tool's definition requires it. Never rejects.
 *
 * @returns The arguments for the call, or why it is denied.
 */
export async function askForApproval(
  registered: RegisteredTool,
  request: ApprovalRequest,
  needsApproval: AnyTool['needsApproval'],
  approve: Approve | undefined,
  signal: AbortSignal,
  pause: PauseWallClock,
): Promise<ToolResult | typeof ABORTED> {
  const { tool, args } = request;
  try {
    if (typeof needsApproval === 'function') {
      const isNeeded: unknown = await untilAborted(
        (async () => needsApproval(args, { tool, signal }))(),
        signal,
      );
      if (isNeeded === ABORTED) return ABORTED;
      // Only exactly `false` skips the approval.
      if (isNeeded === false) return { ok: true, value: args };
    }
  } catch (thrown) {
    return deny(`${tool} needs approval, since its needsApproval failed: ${messageOf(thrown)}`);
  }
  if (approve === undefined) {
    return deny(
      `${tool} needs approval, and nobody can be asked: give the Dispatcher an \`approve\` callback.`,
    );
  }
  let answer: unknown;
  try {
    answer = await pause(() => untilAborted((async () => approve(request, { signal }))(), signal));
  } catch (thrown) {
    return deny(`${tool} needs approval, and asking for it failed: ${messageOf(thrown)}`);
  }
  if (answer === ABORTED) return ABORTED;
  const decision = decisionSchema.safeParse(answer);
  if (!decision.success) {
    return deny(
      `${tool} needs approval, and the answer was none of { decision: 'approve' }, ` +
        "{ decision: 'deny', reason } and { decision: 'edit', args }.",
    );
  }
  switch (decision.data.decision) {
    case 'approve':
      return { ok: true, value: args };
    case 'deny': {
      const { reason } = decision.data;
      return deny(reason === undefined ? `${tool} was denied.` : `${tool} was denied: ${reason}`);
    }
    case 'edit': {
      const what = `The arguments of ${tool} as edited`;
      return checkInput(registered, decision.data.args, what);
    }
  }
}

function deny(message: string): ToolResult {
  return { ok: false, failure: { kind: 'denied', message } };
}

function messageOf(thrown: unknown): string {
  return readThrown(thrown).message;
}
