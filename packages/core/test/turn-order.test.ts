import { describe, expect, test } from 'vitest';

import { TurnOrder } from '../src/pools/turn-order.ts';

interface Slot {
  readonly name: string;
  idleMs: number;
}

/** Slots that have had no run yet. */
function slots(names: string): Slot[] {
  return Array.from(names, (name) => ({ name, idleMs: Infinity }));
}

/** Whose turn it is, so many times; each is busy from its turn on. */
function chosen(turns: TurnOrder<Slot>, all: readonly Slot[], times: number): string {
  let names = '';
  for (let time = 0; time < times; time++) {
    const slot = turns.choose(all, () => true);
    if (slot === undefined) break;
    slot.idleMs = 0;
    names += slot.name;
  }
  return names;
}

test('all take turns, in their order, while none has rested', () => {
  expect(chosen(new TurnOrder(), slots('abc'), 7)).toBe('abcabca');
});

describe('the one that ran last', () => {
  test.each([
    ['has just ended', 0, 'b'],
    ['has not rested long enough', 3.9, 'b'],
    ['has rested', 4, 'a'],
    ['has been idle for long', 60_000, 'a'],
  ])('when it %s: %d ms, next is %s', (_what, idleMs, expected) => {
    const turns = new TurnOrder<Slot>();
    const all = slots('abc');
    expect(chosen(turns, all, 1)).toBe('a');
    for (const slot of all) slot.idleMs = idleMs;
    expect(chosen(turns, all, 1)).toBe(expected);
  });

  test('runs again only where it takes the job', () => {
    const turns = new TurnOrder<Slot>();
    const all = slots('abc');
    chosen(turns, all, 1);
    for (const slot of all) slot.idleMs = 60_000;
    expect(turns.choose(all, ({ name }) => name !== 'a')?.name).toBe('b');
  });

  test('is no longer asked once it is gone: the turns begin anew', () => {
    const turns = new TurnOrder<Slot>();
    const [a, b, c] = slots('abc') as [Slot, Slot, Slot];
    expect(chosen(turns, [a, b, c], 2)).toBe('ab');
    b.idleMs = 60_000;
    expect(chosen(turns, [a, c], 3)).toBe('aca');
  });
});

describe('who cannot take the job', () => {
  test('is passed over, and keeps its place in the order', () => {
    const turns = new TurnOrder<Slot>();
    const all = slots('abcd');
    chosen(turns, all, 1);
    for (const slot of all) slot.idleMs = 0;
    expect(turns.choose(all, ({ name }) => name !== 'b')?.name).toBe('c');
    expect(chosen(turns, all, 3)).toBe('dab');
  });

  test('may be everybody, and the order stays', () => {
    const turns = new TurnOrder<Slot>();
    const all = slots('abc');
    expect(chosen(turns, all, 1)).toBe('a');
    expect(turns.choose(all, () => false)).toBeUndefined();
    expect(chosen(turns, all, 1)).toBe('b');
  });

  test('may be the only other one: the last one runs again, rested or not', () => {
    const turns = new TurnOrder<Slot>();
    const all = slots('ab');
    chosen(turns, all, 1);
    expect(turns.choose(all, ({ name }) => name === 'a')?.name).toBe('a');
  });
});

test('of nobody, nobody is chosen', () => {
  expect(new TurnOrder<Slot>().choose([], () => true)).toBeUndefined();
});
