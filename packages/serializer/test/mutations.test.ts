import * as api from '@glovebox/serializer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { makeCorpus } from './fixtures/corpus.ts';

const { deserialize, SerializationError, serialize } = api;

/** Small texts of every kind of value, and pieces that tell readers apart. */
const { 'long text': _long, 'far element': _far, ...values } = makeCorpus(api);
const texts = Object.values(values).flatMap((value) => [
  serialize(value),
  serialize(value, { references: 'preserve' }),
]);
const pieces = [
  '"__type__"',
  '"__proto__"',
  '"data"',
  '"js"',
  '"constructor"',
  '"length"',
  '__type__',
  '\\u005f',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '-',
  '0',
  '1e999',
  '1e20',
  '4294967295',
  'null',
  'NaN',
  '{"__type__":"ref","id":0}',
  '{"__type__":"cycle","level":0}',
  '{"__type__":"hole","count":9}',
  '{"__type__":"hole","count":4294967295}',
  '{"__type__":"graph","data":',
  '"Buffer"',
  '"Float64Array"',
  '"set"',
  '"error"',
  '=',
  '\ud800',
];

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(12),
  insert: fc.oneof(
    fc.constantFrom(...pieces, ...texts.map((text) => text.slice(5))),
    fc.string({ maxLength: 3 }),
  ),
});

function mutate(text: string, mutations: { at: number; length: number; insert: string }[]): string {
  return mutations.reduce((mutated, { at, length, insert }) => {
    const from = 5 + Math.floor(at * (mutated.length - 5));
    return mutated.slice(0, from) + insert + mutated.slice(from + length);
  }, text);
}

/** Time of this thread on the processor, which does not grow while others have it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

test('a mutated text is a value or a SerializationError, and leaves prototypes alone', () => {
  const prototypes = [
    Object.prototype,
    Array.prototype,
    Map.prototype,
    Error.prototype,
    Function.prototype,
  ];
  const before = prototypes.map((prototype) => Reflect.ownKeys(prototype).length);
  let read = 0;
  let slowest = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('native', 'python'),
      (text, mutations, profile) => {
        const mutated = mutate(text, mutations);
        const start = cpuMs();
        try {
          const value = deserialize(mutated, { profile });
          read++;
          expect(Object.getPrototypeOf(Object.getPrototypeOf({}) as object)).toBe(null);
          // What was read can be written, and then reads the same.
          if (profile === 'native') {
            const again = serialize(value);
            expect(serialize(deserialize(again))).toBe(again);
          }
        } catch (error) {
          if (!(error instanceof SerializationError)) throw error;
        }
        slowest = Math.max(slowest, cpuMs() - start);
      },
    ),
    { numRuns: 30_000 },
  );
  expect(prototypes.map((prototype) => Reflect.ownKeys(prototype).length)).toEqual(before);
  // Some mutations leave a text that reads, or the test says nothing of values.
  expect(read).toBeGreaterThan(300);
  // None of them is long; a pause for garbage is allowed for.
  expect(slowest).toBeLessThan(50);
});
