import path from 'node:path';

import { expect, test } from 'vitest';

import { runScript } from '../support/script.ts';

const MAIN = path.join(import.meta.dirname, '../../examples/plan-execute/main.ts');

test('the example plans around its hostile step, and meets its goal', async () => {
  const { code, stdout, stderr } = await runScript(MAIN);
  expect(stdout.split('\n')).toEqual([
    "Does Kepler's third law hold, which planet is the heaviest, and which would float?",
    'Plan 0: 1, 2, 3, 4, 5',
    '  step 1: ok',
    '  step 2: ok',
    expect.stringMatching(/^ {2}step 3[12]: ok$/),
    expect.stringMatching(/^ {2}step 3[12]: ok$/),
    '  step 4: MEMORY_LIMIT',
    'The plan changes: removed none, added none, revised 4',
    'Plan 1: 4, 5',
    '  step 4: ok',
    '  step 5: ok',
    "goal_met: Kepler's law holds to 0.1 %; Jupiter is the heaviest; Saturn would float.",
    '',
  ]);
  expect([code, stderr]).toEqual([0, '']);
});
