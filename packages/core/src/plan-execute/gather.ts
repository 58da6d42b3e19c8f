import { decides, isDecided } from './gather-result.ts';
import type { Journal } from './journal.ts';
import type { GatherStep } from './plan-steps.ts';
import { CANCELLED } from './step-runner.ts';
import type { PreparedStep, StepRunner } from './step-runner.ts';

export interface GatherSettings {
  readonly journal: Journal;
  readonly runner: StepRunner;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Runs the branches of a gather in parallel, up to `concurrency`, until all have ended or the
 * policy has decided. Branches that ended before the session was resumed are not run again.
 *
 * @returns False if the step budget is too small for all branches; then no branch is started.
 */
export async function runGather(step: GatherStep, settings: GatherSettings): Promise<boolean> {
  const { journal, runner, signal } = settings;
  const { state } = journal;
  const ended = state.gather?.ends;
  const branches = step.gather
    .filter(({ id }) => ended?.has(id) !== true)
    .map((branch) => runner.prepare(branch, step.id));
  if (state.gather === undefined) {
    const calls = branches.filter(({ cachedFrom }) => cachedFrom === undefined).length;
    if (state.stepsTaken + calls > journal.header.maxSteps) return false;
    const { id: stepId, policy = 'all' } = step;
    const payload = { stepId, policy, branches: step.gather.map(({ id }) => id) };
    await journal.emit({ type: 'gather.start', payload });
  }
  await runBranches(step, branches, settings);
  const isStopped = signal.aborted && !isDecided(step, state.gather?.ends ?? new Map());
  // A gather that the caller stopped stays open, so that it continues when the session is resumed.
  if (state.inFlight.size === 0 && !isStopped) await endGather(step, journal);
  return true;
}

async function runBranches(
  step: GatherStep,
  branches: readonly PreparedStep[],
  { journal, runner, concurrency, signal }: GatherSettings,
): Promise<void> {
  const { state } = journal;
  const ends = state.gather?.ends ?? new Map();
  const decided = new AbortController();
  const branchSignal = AbortSignal.any([signal, decided.signal]);
  if (isDecided(step, ends)) decided.abort();
  const queue = branches.values();
  const work = async (): Promise<void> => {
    for (const branch of queue) {
      if (signal.aborted) return;
      const { id } = branch.step;
      if (decided.signal.aborted) {
        // It was running when the session stopped; the other branches were never started.
        if (state.inFlight.has(id)) await runner.fail(id, step.id, CANCELLED);
        continue;
      }
      await runner.run(branch, branchSignal);
      const end = ends.get(id);
      if (end !== undefined && decides(step, end)) decided.abort();
    }
  };
  const workerCount = Math.min(step.concurrency ?? concurrency, branches.length);
  const stopOnFault = async (): Promise<void> => {
    try {
      await work();
    } catch (fault) {
      decided.abort();
      throw fault;
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: workerCount }, stopOnFault));
  const fault = workers.find(({ status }) => status === 'rejected');
  if (fault?.status === 'rejected') throw fault.reason;
}

async function endGather(step: GatherStep, journal: Journal): Promise<void> {
  const { id: stepId, policy = 'all' } = step;
  // The map is in the order in which the branches ended.
  const ends = [...(journal.state.gather?.ends ?? [])];
  const [winner] = ends.find(([, { error }]) => error === undefined) ?? [];
  const failures = step.gather.flatMap(({ id }) => {
    const { error, failure } = journal.state.gather?.ends.get(id) ?? {};
    return error === undefined || failure?.kind === 'cancelled' ? [] : [`Step ${id}: ${error}`];
  });
  const isOk =
    policy === 'settled' || (policy === 'all' ? failures.length === 0 : winner !== undefined);
  await journal.emit({
    type: 'gather.end',
    payload: {
      stepId,
      outcome: isOk ? 'ok' : 'error',
      ...(policy === 'race' && isOk ? { winner } : {}),
      ...(isOk ? {} : { error: failures.join('; ') }),
    },
  });
}
