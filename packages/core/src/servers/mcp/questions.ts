import { inspect } from 'node:util';

import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { ApprovalDecision, ApprovalRequest } from '../../dispatch/tool-approval.ts';

/** A person is asked within this time, in milliseconds; then the answer is no. */
export const ANSWER_MS = 10 * 60_000;
const MAX_ARGUMENTS = 4000;

/** The form that a person is shown. */
export function questionOf(request: ApprovalRequest): ElicitRequestFormParams {
  const { tool, description, args, within } = request;
  const caller = within.length === 0 ? '' : `, called by ${within.join(' → ')},`;
  const shown = inspect(args, { depth: 10 });
  const cut = shown.length > MAX_ARGUMENTS ? `${shown.slice(0, MAX_ARGUMENTS)}… (cut)` : shown;
  return {
    mode: 'form',
    message: [`${tool}${caller} needs approval.`, description, `Arguments: ${cut}`]
      .filter((line) => line !== undefined)
      .join('\n'),
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Call it?', default: false },
        reason: { type: 'string', title: 'If not, why?' },
      },
      required: ['approve'],
    },
  };
}

const answerSchema = z.object({ approve: z.boolean(), reason: z.string().optional() });

/** What a person answered. Only a clear yes is one. */
export function decisionOf(action: string, content: unknown): ApprovalDecision {
  if (action !== 'accept') return { decision: 'deny', reason: `the user chose to ${action}` };
  const answer = answerSchema.safeParse(content);
  if (!answer.success) return { decision: 'deny', reason: 'the answer did not fit the question' };
  const { approve, reason } = answer.data;
  return approve ? { decision: 'approve' } : { decision: 'deny', reason };
}

const capabilitiesSchema = z.object({
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/** Whether a client can show a form to a person. Capabilities without mode are from before modes. */
export function canAsk(capabilities: unknown): boolean {
  const parsed = capabilitiesSchema.safeParse(capabilities);
  const elicitation = parsed.data?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** What a request of the 2026 protocol says that its client can do. */
export function capabilitiesOf({ mcpReq }: ServerContext): unknown {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY];
}
