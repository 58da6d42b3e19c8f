import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import { expect, test } from 'vitest';

import { JobQueue } from '../../packages/core/src/pools/job-queue.ts';
import type { JobHandle, JobObserver } from '../../packages/core/src/pools/worker-pool.ts';

const OBSERVER: JobObserver = { onStart() {}, onLog() {}, onCall() {}, onEnd() {} };
const HANDLE: JobHandle = { reply() {}, stop() {}, kill() {} };
const JOB: Job = {
  code: 'return 1',
  filename: 'guest.js',
  language: 'auto',
  variables: 'safe:{}',
  tools: [],
  limits: DEFAULT_LIMITS,
  deterministic: null,
};

/** How often a queue looks for a slot while so many jobs pass through two of them. */
function looksFor(jobs: number): number {
  let free = 2;
  let looks = 0;
  let placed = 0;
  const queue = new JobQueue({ maxQueue: jobs, queueMs: 60_000 }, () => {
    looks++;
    if (free === 0) return undefined;
    free--;
    placed++;
    return HANDLE;
  });
  for (let job = 0; job < jobs; job++) queue.submit(JOB, OBSERVER);
  for (let ended = 0; ended < jobs; ended++) {
    free++;
    queue.pump();
  }
  expect([queue.size, placed]).toEqual([0, jobs]);
  return looks;
}

test('ten thousand queued jobs cost no more each than a hundred', () => {
  // One look that finds a slot, and one that finds the next job none.
  expect(looksFor(100)).toBeLessThanOrEqual(2 * 100);
  expect(looksFor(10_000)).toBeLessThanOrEqual(2 * 10_000);
});
