import { deserialize } from '@glovebox/serializer/safe';

import type { DecideInFlight, InFlightDecision } from '../../plan-execute/in-flight.ts';
import type {
  ApprovePlan,
  PlanApprovalRequest,
  PlanDecision,
} from '../../plan-execute/plan-approval.ts';
import type { PlanStep } from '../../plan-execute/plan-steps.ts';
import { readPlan } from '../../plan-execute/planner.ts';
import { editText } from '../shared/editor.ts';
import { parseJsonOrSafe, toTaggedJson } from '../shared/parse-value.ts';
import { decide, withTerminal } from '../shared/terminal.ts';
import { plainLine, planLines, styleFor } from './plan-lines.ts';

export const approvePlan: ApprovePlan = () => ({ decision: 'approve' });

export const rejectPlan: ApprovePlan = () => ({
  decision: 'reject',
  reason: 'nobody can be asked here; use a terminal, or --yes',
});

/** Asks at the terminal whether to execute a plan. */
export const askAboutPlan: ApprovePlan = (request, { signal }) => {
  const { revision, steps, lastError, diff } = request;
  const style = styleFor(process.stderr);
  if (lastError !== null) process.stderr.write(`${style('red', plainLine(lastError))}\n`);
  process.stderr.write(`${style('bold', `Plan ${revision}`)}\n`);
  for (const line of planLines(steps, style, diff)) process.stderr.write(`${line}\n`);
  if (diff !== undefined && diff.removed.length > 0) {
    process.stderr.write(`${style('dim', `Removed steps: ${diff.removed.join(', ')}`)}\n`);
  }
  return withTerminal(signal, (question) =>
    decide<PlanDecision>(question, 'Execute this plan?', {
      yes: { decision: 'approve' },
      no: (reason) => ({ decision: 'reject', reason }),
      edit: () => edit(request),
    }),
  );
};

/** Opens the plan in the user's editor; undefined if it is unchanged or not a valid plan. */
function edit({ steps, resultIds }: PlanApprovalRequest): PlanDecision | undefined {
  const before = `${JSON.stringify(toTaggedJson(steps), null, 2)}\n`;
  const after = editText(before, 'plan.json');
  const edited = after === undefined ? undefined : readEdited(after, resultIds);
  return edited === undefined ? undefined : { decision: 'edit', steps: edited };
}

function readEdited(text: string, known: readonly number[]): readonly PlanStep[] | undefined {
  try {
    // The editor showed the plan in the tagged form.
    const read = readPlan(deserialize(`safe:${text}`), known);
    if (read.ok) return read.plan;
    process.stderr.write(`That is not a valid plan: ${read.message}\n`);
  } catch (error) {
    process.stderr.write(`That is not JSON: ${error instanceof Error ? error.message : ''}\n`);
  }
  return undefined;
}

/** Asks at the terminal about a step that was interrupted: it may or may not have taken effect. */
export const askAboutInFlight: DecideInFlight = ({ stepId, toolName, args }, { signal }) => {
  process.stderr.write(
    `Step ${stepId} (${plainLine(toolName)}) was running when the session stopped.\n` +
      `Arguments: ${JSON.stringify(toTaggedJson(args))}\n`,
  );
  return withTerminal(signal, async (question): Promise<InFlightDecision> => {
    for (;;) {
      const answer = await question('(r)un it again, mark it as (d)one, mark it as (f)ailed: ');
      switch (answer?.toLowerCase()) {
        case 'r':
          return { action: 'run_again' };
        case undefined:
        case 'f':
          return { action: 'fail' };
        case 'd': {
          const text = await question('Its result as JSON or safe: text (empty for none): ');
          try {
            const isNone = text === undefined || text === '';
            return { action: 'take_result', result: isNone ? undefined : parseJsonOrSafe(text) };
          } catch {
            process.stderr.write('That is neither JSON nor safe: text.\n');
          }
        }
      }
    }
  });
};
