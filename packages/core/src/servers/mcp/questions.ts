import { inspect } from 'node:util';

import { CLIENT_CAPABILITIES_META_KEY } from '@modelcontextprotocol/server';
import type { ElicitRequestFormParams, ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

import type { ApprovalDecision, ApprovalRequest } from '../../dispatch/tool-approval.ts';

/** Time for a person to answer, in milliseconds; after it the call is denied. */
export const ANSWER_MS = 10 * 60_000;
/** Maximum length of the shown arguments, in characters. */
const MAX_ARGUMENTS = 4000;

/** The form that the client shows to a person. */
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

/** The decision from a person's answer. Everything but an explicit yes is a denial. */
export function decisionOf(action: string, content: unknown): ApprovalDecision {
  if (action !== 'accept') return { decision: 'deny', reason: `the user chose to ${action}` };
  const answer = answerSchema.safeParse(content);
  if (!answer.success)
    return { decision: 'deny', reason: 'the answer does not match the requested schema' };
  const { approve, reason } = answer.data;
  return approve ? { decision: 'approve' } : { decision: 'deny', reason };
}

const capabilitiesSchema = z.object({
  elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
});

/** Whether a client can show a form. Capabilities without a mode are from before modes existed. */
export function canAsk(capabilities: unknown): boolean {
  const parsed = capabilitiesSchema.safeParse(capabilities);
  const elicitation = parsed.data?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** The client capabilities that a request of the 2026 protocol carries. */
export function capabilitiesOf({ mcpReq }: ServerContext): unknown {
  const envelope: Readonly<Record<string, unknown>> | undefined = mcpReq.envelope;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY];
}
