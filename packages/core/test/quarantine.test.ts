import { describe, expect, test, vi } from 'vitest';

import { hashOf, Quarantine } from '../src/pools/quarantine.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

const CODE = 'for (;;);';
const OPTIONS = { kills: 3, withinMs: 1000, forMs: 5000 };

/** Records kills by one source, with the given delays before them, in milliseconds. */
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

describe('code is quarantined', () => {
  test.each([
    ['not below the number of kills', [0, 0], false],
    ['at the number of kills', [0, 0, 0], true],
    ['with all kills in the time window', [0, 500, 499], true],
    ['not with the first kill just outside the time window', [0, 500, 500], false],
    ['not with kills far apart', [0, 900, 900, 900], false],
    ['as soon as enough kills are in the time window', [0, 900, 900, 50], true],
  ])('%s: kills after %j ms', (_what, waits, isQuarantined) => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, ...waits);
    expect(quarantine.find(CODE) !== undefined).toBe(isQuarantined);
  });

  test('and its entry has the hash, the number of kills, and the end time', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 100, 100);
    const entry = { hash: hashOf(CODE), kills: 3, until: Date.now() + 5000 };
    expect(quarantine.find(CODE)).toEqual(entry);
    expect(quarantine.list()).toEqual([entry]);
  });

  test('for forMs; then its record is deleted', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 0, 0);
    vi.advanceTimersByTime(4999);
    expect(quarantine.find(CODE)).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(quarantine.find(CODE)).toBeUndefined();
    expect(quarantine.list()).toEqual([]);
    // Kills count from zero.
    killAfter(quarantine, 0, 0);
    expect(quarantine.find(CODE)).toBeUndefined();
    killAfter(quarantine, 0);
    expect(quarantine.find(CODE)).toBeDefined();
  });

  test('for longer if it kills another host meanwhile', () => {
    const quarantine = new Quarantine(OPTIONS);
    killAfter(quarantine, 0, 0, 0, 600);
    expect(quarantine.find(CODE)).toMatchObject({ kills: 4, until: Date.now() + 5000 });
  });

  test('without effect on other code', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 1 });
    expect(quarantine.find(CODE)).toBeUndefined();
    quarantine.record(CODE);
    expect(quarantine.find(`${CODE} `)).toBeUndefined();
  });

  test('by kills on other machines, which are recorded by hash', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 2 });
    quarantine.record(CODE);
    quarantine.recordHash(hashOf(CODE));
    expect(quarantine.find(CODE)?.kills).toBe(2);
  });
});

describe('the records', () => {
  test('are listed by the time of the last kill, with code that is not quarantined yet', () => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 2 });
    for (const code of ['a', 'b', 'c', 'a']) quarantine.record(code);
    expect(quarantine.list()).toEqual([
      { hash: hashOf('b'), kills: 1, until: undefined },
      { hash: hashOf('c'), kills: 1, until: undefined },
      { hash: hashOf('a'), kills: 2, until: Date.now() + 5000 },
    ]);
  });

  test('are limited to 1000; the record with the oldest last kill is dropped first', () => {
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
  ])('are deleted by clear: %s', (_what, cleared, left) => {
    const quarantine = new Quarantine({ ...OPTIONS, kills: 1 });
    quarantine.record('a');
    quarantine.record('b');
    quarantine.clear(cleared);
    expect(quarantine.list().map(({ hash }) => hash)).toEqual(left);
    expect(quarantine.find('a') !== undefined).toBe(left.includes(hashOf('a')));
  });
});
