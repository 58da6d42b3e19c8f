import { diffPlans } from '@glovebox/core';
import type { PlanDiff, PlanStep } from '@glovebox/core';
import { expect, test } from 'vitest';

import { step } from '../support/plan.ts';

interface Case {
  readonly what: string;
  readonly before: readonly PlanStep[];
  readonly after: readonly PlanStep[];
  readonly diff: Partial<PlanDiff>;
}

const a = step(1, 'a');
const b = step(2, 'b', { x: 1, y: [{ p: 1, q: 2 }] });
const c = step(3, 'c');
const code = { id: 4, code: 'return 1' };
const gather = { id: 10, gather: [a, b] };

const cases: readonly Case[] = [
  { what: 'the same plan', before: [a, b, c], after: [a, b, c], diff: {} },
  { what: 'steps gone', before: [c, a, b], after: [a], diff: { removed: [2, 3] } },
  { what: 'steps more', before: [a], after: [c, b, a], diff: { added: [2, 3] } },
  {
    what: 'another tool',
    before: [a, b],
    after: [a, { ...b, toolName: 'a' }],
    diff: { revised: [2] },
  },
  {
    what: 'other arguments, in the order of the new plan',
    before: [a, b, c],
    after: [{ ...c, args: { z: 1 } }, b, { ...a, args: { z: 1 } }],
    diff: { revised: [3, 1], moved: [3, 1] },
  },
  {
    what: 'another order of keys',
    before: [b],
    after: [{ ...b, args: { y: [{ q: 2, p: 1 }], x: 1 } }],
    diff: {},
  },
  {
    what: 'another order of items',
    before: [{ ...b, args: [1, 2] }],
    after: [{ ...b, args: [2, 1] }],
    diff: { revised: [2] },
  },
  { what: 'another order of steps', before: [a, b, c], after: [a, c, b], diff: { moved: [3, 2] } },
  {
    what: 'another expectation',
    before: [a],
    after: [{ ...a, expectedOutcome: 'more' }],
    diff: { outcomeChanged: [1] },
  },
  {
    what: 'other code',
    before: [code],
    after: [{ ...code, code: 'return 2' }],
    diff: { revised: [4] },
  },
  {
    what: 'code that may call more',
    before: [code],
    after: [{ ...code, uses: ['a'] }],
    diff: { revised: [4] },
  },
  {
    what: 'values that JSON lacks',
    before: [{ ...a, args: new Map([[1, 2n]]) }],
    after: [{ ...a, args: new Map([[1, 3n]]) }],
    diff: { revised: [1] },
  },
  {
    what: 'another branch',
    before: [gather],
    after: [{ ...gather, gather: [a, { ...b, args: {} }] }],
    diff: { revised: [2] },
  },
  {
    what: 'a branch less',
    before: [gather],
    after: [{ ...gather, gather: [a] }],
    diff: { removed: [2], revised: [10] },
  },
  {
    what: 'another policy',
    before: [gather],
    after: [{ ...gather, policy: 'race' }],
    diff: { revised: [10] },
  },
  {
    what: 'branches one after the other',
    before: [gather],
    after: [a, b],
    diff: { removed: [10] },
  },
];
test.each(cases)('$what', ({ before, after, diff }) => {
  expect(diffPlans(before, after)).toEqual({
    removed: [],
    added: [],
    revised: [],
    moved: [],
    outcomeChanged: [],
    ...diff,
  });
});
