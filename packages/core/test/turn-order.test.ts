import { describe, expect, test } from 'vitest';

import { TurnOrder } from '../src/pools/turn-order.ts';

interface Candidate {
  readonly name: string;
  idleMs: number;
}

/** Candidates that have had no run yet. */
function candidates(names: string): Candidate[] {
  return Array.from(names, (name) => ({ name, idleMs: Infinity }));
}

/** The candidates that are chosen, one after the other; each stays busy. */
function chosen(turns: TurnOrder<Candidate>, all: readonly Candidate[], times: number): string {
  let names = '';
  for (let time = 0; time < times; time++) {
    const candidate = turns.choose(all, () => true);
    if (candidate === undefined) break;
    candidate.idleMs = 0;
    names += candidate.name;
  }
  return names;
}

test('busy candidates take turns, in their order', () => {
  expect(chosen(new TurnOrder(), candidates('abc'), 7)).toBe('abcabca');
});

describe('the candidate that ran last', () => {
  test.each([
    ['has just ended', 0, 'b'],
    ['has not been idle for long enough', 3.9, 'b'],
    ['has been idle for long enough', 4, 'a'],
    ['has been idle for a minute', 60_000, 'a'],
  ])('%s (%d ms): the next is %s', (_what, idleMs, expected) => {
    const turns = new TurnOrder<Candidate>();
    const all = candidates('abc');
    expect(chosen(turns, all, 1)).toBe('a');
    for (const candidate of all) candidate.idleMs = idleMs;
    expect(chosen(turns, all, 1)).toBe(expected);
  });

  test('is chosen again only if it can take the job', () => {
    const turns = new TurnOrder<Candidate>();
    const all = candidates('abc');
    chosen(turns, all, 1);
    for (const candidate of all) candidate.idleMs = 60_000;
    expect(turns.choose(all, ({ name }) => name !== 'a')?.name).toBe('b');
  });

  test('starts the turns again from the first one if it is gone', () => {
    const turns = new TurnOrder<Candidate>();
    const [a, b, c] = candidates('abc') as [Candidate, Candidate, Candidate];
    expect(chosen(turns, [a, b, c], 2)).toBe('ab');
    b.idleMs = 60_000;
    expect(chosen(turns, [a, c], 3)).toBe('aca');
  });
});

describe('a candidate that cannot take the job', () => {
  test('is skipped, and the order stays the same', () => {
    const turns = new TurnOrder<Candidate>();
    const all = candidates('abcd');
    chosen(turns, all, 1);
    for (const candidate of all) candidate.idleMs = 0;
    expect(turns.choose(all, ({ name }) => name !== 'b')?.name).toBe('c');
    expect(chosen(turns, all, 3)).toBe('dab');
  });

  test('can be each of them: none is chosen, and the order stays the same', () => {
    const turns = new TurnOrder<Candidate>();
    const all = candidates('abc');
    expect(chosen(turns, all, 1)).toBe('a');
    expect(turns.choose(all, () => false)).toBeUndefined();
    expect(chosen(turns, all, 1)).toBe('b');
  });

  test('can be the only other one: the last one is chosen again, idle or not', () => {
    const turns = new TurnOrder<Candidate>();
    const all = candidates('ab');
    chosen(turns, all, 1);
    expect(turns.choose(all, ({ name }) => name === 'a')?.name).toBe('a');
  });
});

test('without candidates, none is chosen', () => {
  expect(new TurnOrder<Candidate>().choose([], () => true)).toBeUndefined();
});
