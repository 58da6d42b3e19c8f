import { inspect, styleText } from 'node:util';

import type { ApprovalDecision, ApprovalRequest, Approve } from '../dispatch/approval.ts';
import { withTerminal } from './terminal.ts';
import type { Question } from './terminal.ts';
import { parseJsonOrSafe, toTaggedJson } from './values.ts';

export const approveAll: Approve = () => ({ decision: 'approve' });

export const denyAll: Approve = () => ({
  decision: 'deny',
  reason: 'nobody can be asked here; use a terminal, or --yes',
});

/** Asks whoever sits at the terminal; one question at a time, whatever is asked at once. */
export function createTerminalApproval(): Approve {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const decision = last.then(() => ask(request, signal));
    last = decision.catch(() => undefined);
    return decision;
  };
}

async function ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  return withTerminal(signal, (question) => decide(request, question));
}

async function decide(
  { tool, description, args, within }: ApprovalRequest,
  question: Question,
): Promise<ApprovalDecision> {
  const title = styleText('bold', tool, { stream: process.stderr });
  const caller = within.length === 0 ? '' : ` (called by ${within.join(' → ')})`;
  process.stderr.write(`${title}${caller} needs approval.\n`);
  if (description !== undefined) process.stderr.write(`${description}\n`);
  process.stderr.write(`Arguments: ${inspect(args, { depth: Infinity })}\n`);
  for (;;) {
    const answer = await question('Call it? (y)es, (n)o, (e)dit: ');
    switch (answer?.toLowerCase()) {
      case undefined:
        return { decision: 'deny', reason: 'the terminal was closed' };
      case 'y':
      case 'yes':
        return { decision: 'approve' };
      case 'n':
      case 'no': {
        const reason = await question('Why not? (may be empty): ');
        return { decision: 'deny', reason: reason === '' ? undefined : reason };
      }
      case 'e':
      case 'edit': {
        const edited = await edit(args, question);
        if (edited !== undefined) return { decision: 'edit', args: edited.args };
      }
    }
  }
}

/** Other arguments; undefined where what was written is none. */
async function edit(args: unknown, question: Question): Promise<{ args: unknown } | undefined> {
  process.stderr.write(`Now: ${JSON.stringify(toTaggedJson(args))}\n`);
  const text = await question('New arguments as JSON or safe: text: ');
  if (text === undefined) return undefined;
  try {
    return { args: parseJsonOrSafe(text) };
  } catch (error) {
    process.stderr.write(`That is neither: ${error instanceof Error ? error.message : ''}\n`);
    return undefined;
  }
}
