import { describe, expect, test, vi } from 'vitest';

import { hashOf, Quarantine } from '../src/pools/quarantine.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

const CODE = 'for (;;);';
const OPTIONS = { kills: 3, withinMs: 1000, forMs: 5000 };

/** Notes kills of one source, so many milliseconds after each other. */
function killAfter(quarantine: Quarantine, ...waits: number[]): void {
  for (const wait of waits) {
    vi.advanceTimersByTime(wait);
    quarantine.record(CODE);
  }
}

test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['ü', '607474ca475a9724d7360aba71a56d5df77e61350e3f724cfa1f46e857e2d85f'],
])('the hash of %o is the SHA-256 of its UTF-8 bytes', (code, hash) => {
  expect(hashOf(code)).toBe(hash);
});

describe('code is kept out', () => {
  test.each([
    ['at its last kill but one', [0, 0], false],
    ['at its last kill', [0, 0, 0], true],
    ['with all kills within the time', [0, 500, 499], true],
    ['with the first kill just out of the time', [0, 500, 500], false],
    ['with kills that come one by one', [0, 900, 900, 900], false],
    ['once enough of them are within the time', [0, 900, 900, 50], true],
  ])('%s: kills after %j ms', (_what, waits, isKeptOut) => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, ...waits);
    expect(quarantine.find(CODE) !== undefined).toBe(isKeptOut);
  });

  test('with its hash, its kills, and the time until when', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 100, 100);
    const entry = { hash: hashOf(CODE), kills: 3, until: Date.now() + 5000 };
    expect(quarantine.find(CODE)).toEqual(entry);
    expect(quarantine.list()).toEqual([entry]);
  });

  test('for its time, and then let in and forgotten', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 0, 0);
    vi.advanceTimersByTime(4999);
    expect(quarantine.find(CODE)).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(quarantine.find(CODE)).toBeUndefined();
    expect(quarantine.list()).toEqual([]);
    // It has to kill as often again.
    killAfter(quarantine, 0, 0);
    expect(quarantine.find(CODE)).toBeUndefined();
    killAfter(quarantine, 0);
    expect(quarantine.find(CODE)).toBeDefined();
  });

  test('for longer by a kill that comes while it is kept out', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 0, 0, 600);
    expect(quarantine.find(CODE)).toMatchObject({ kills: 4, until: Date.now() + 5000 });
  });

  test('alone: other code is let in', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 1 });
    expect(quarantine.find(CODE)).toBeUndefined();
    quarantine.record(CODE);
    expect(quarantine.find(`${CODE} `)).toBeUndefined();
  });

  test('by the hash of a kill that was seen somewhere else', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 2 });
    quarantine.record(CODE);
    quarantine.recordHash(hashOf(CODE));
    expect(quarantine.find(CODE)?.kills).toBe(2);
  });
});

describe('what is remembered', () => {
  test('is listed with the latest last, also what is let in yet', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 2 });
    for (const code of ['a', 'b', 'c', 'a']) quarantine.record(code);
    expect(quarantine.list()).toEqual([
      { hash: hashOf('b'), kills: 1, until: undefined },
      { hash: hashOf('c'), kills: 1, until: undefined },
      { hash: hashOf('a'), kills: 2, until: Date.now() + 5000 },
    ]);
  });

  test('is a thousand sources; the one whose last kill is oldest is forgotten first', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 2 });
    for (let n = 0; n < 1000; n++) quarantine.record(String(n));
    quarantine.record('0');
    expect(quarantine.list()).toHaveLength(1000);
    quarantine.record('one more');
    const hashes = quarantine.list().map(({ hash }) => hash);
    expect(hashes).toHaveLength(1000);
    expect(hashes).not.toContain(hashOf('1'));
    expect(hashes.slice(-2)).toEqual([hashOf('0'), hashOf('one more')]);
    expect(quarantine.find('0')?.kills).toBe(2);
  });

  test.each<[string, string | undefined, string[]]>([
    ['one source by its hash', hashOf('a'), [hashOf('b')]],
    ['nothing by a hash that is not there', hashOf('z'), [hashOf('a'), hashOf('b')]],
    ['all', undefined, []],
  ])('clear forgets %s', (_what, cleared, left) => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 1 });
    quarantine.record('a');
    quarantine.record('b');
    quarantine.clear(cleared);
    expect(quarantine.list().map(({ hash }) => hash)).toEqual(left);
    expect(quarantine.find('a') !== undefined).toBe(left.includes(hashOf('a')));
  });
});
