import { styleText } from 'node:util';

import type { ApprovalDecision, ApprovalRequest, Approve } from '../../dispatch/tool-approval.ts';
import { plainText } from '../../shared/plain-text.ts';
import { parseJsonOrSafe, toTaggedJson } from './parse-value.ts';
import { printable } from './printable.ts';
import { decide, withTerminal } from './terminal.ts';
import type { Question } from './terminal.ts';

export const approveAll: Approve = () => ({ decision: 'approve' });

export const denyAll: Approve = () => ({
  decision: 'deny',
  reason: 'nobody can be asked here; use a terminal, or --yes',
});

/** Asks for approval at the terminal. Calls that need approval at the same time wait in turn. */
export function createTerminalApproval(): Approve {
  let last: Promise<unknown> = Promise.resolve();
  return (request, { signal }) => {
    const decision = last.then(() => ask(request, signal));
    last = decision.catch(() => undefined);
    return decision;
  };
}

function ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalDecision> {
  const { tool, description, args, within } = request;
  const title = styleText('bold', plainText(tool), { stream: process.stderr });
  const caller = within.length === 0 ? '' : ` (called by ${plainText(within.join(' → '))})`;
  process.stderr.write(`${title}${caller} needs approval.\n`);
  if (description !== undefined) process.stderr.write(`${plainText(description)}\n`);
  process.stderr.write(`Arguments: ${printable(args, process.stderr)}\n`);
  return withTerminal(signal, (question) =>
    decide<ApprovalDecision>(question, 'Call it?', {
      yes: { decision: 'approve' },
      no: (reason) => ({ decision: 'deny', reason }),
      edit: () => edit(args, question),
    }),
  );
}

/** Asks for new arguments; undefined if the input is invalid or the terminal is closed. */
async function edit(args: unknown, question: Question): Promise<ApprovalDecision | undefined> {
  process.stderr.write(`Now: ${plainText(JSON.stringify(toTaggedJson(args)))}\n`);
  const text = await question('New arguments as JSON or safe: text: ');
  if (text === undefined) return undefined;
  try {
    return { decision: 'edit', args: parseJsonOrSafe(text) };
  } catch (error) {
    process.stderr.write(
      `That is neither JSON nor safe: text: ${error instanceof Error ? error.message : ''}\n`,
    );
    return undefined;
  }
}
