import * as api from '@glovebox/serializer';
import { deserializeInSteps } from '@glovebox/serializer/steps';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { decodeInSteps } from '../src/decode-steps.ts';
import { parseInSteps } from '../src/json-steps.ts';
import { settingsOf } from '../src/serializer.ts';
import { anyGraph, anyValue } from './fixtures/arbitraries.ts';
import { makeCorpus } from './fixtures/corpus.ts';
import { errorOf } from './fixtures/error-of.ts';
import { expectSame } from './fixtures/same.ts';

const { deserialize, serialize, tuple } = api;

/** So short that nearly every container takes several steps. */
const TINY_STEPS = [1, 8, 40];

function finish<Value>(steps: Generator<undefined, Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function readTiny(text: string, step: number): unknown {
  return finish(decodeInSteps(text, settingsOf(undefined, undefined), step));
}

/** What comes of reading: the value, or the code of the error. */
function outcomeOf(read: () => unknown): { value: unknown } | { code: string } {
  try {
    return { value: read() };
  } catch (error) {
    return {
      code: errorOf(() => {
        throw error;
      }).code,
    };
  }
}

describe('any value comes back as from one step', () => {
  test.each(Object.entries(makeCorpus(api)))('%s', (_name, value) => {
    for (const references of ['duplicate', 'preserve'] as const) {
      const text = serialize(value, { references });
      for (const step of TINY_STEPS) expectSame(readTiny(text, step), value);
    }
  });

  test('at random', () => {
    fc.assert(
      fc.property(anyValue, fc.constantFrom(...TINY_STEPS), (value, step) => {
        expectSame(readTiny(serialize(value), step), value);
      }),
      { numRuns: 1000 },
    );
  });

  test('with who holds whom', () => {
    fc.assert(
      fc.property(anyGraph, fc.constantFrom(...TINY_STEPS), (value, step) => {
        const text = serialize(value, { references: 'preserve' });
        expect(serialize(readTiny(text, step), { references: 'preserve' })).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('what is long', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => index);
  const sparse = [...many, undefined];
  delete sparse[3];
  delete sparse[many.length];
  const ring: unknown[] = [...many];
  ring.push(ring);
  test.each<[string, unknown]>([
    ['a list', many],
    ['a list of objects', many.map((id) => ({ id, when: new Date(id) }))],
    ['a list with holes', sparse],
    ['a list that holds itself', ring],
    ['an object', Object.fromEntries(many.map((id) => [`key ${id}`, [id]]))],
    ['an object without prototype', Object.assign(Object.create(null), { __type__: 1, many })],
    ['a Map', new Map(many.map((id) => [{ id }, id]))],
    ['a Map of long keys', new Map([[many, many]])],
    ['a Set', new Set(many)],
    ['a frozen set', new api.FrozenSet(many)],
    ['a tuple', tuple(...many)],
    [
      'an error of errors',
      withoutStack(
        new AggregateError(
          many.map(() => withoutStack(new Error('x'))),
          'all',
        ),
      ),
    ],
    ['an error with a long cause', withoutStack(new Error('x', { cause: many }))],
    ['an error with long properties', Object.assign(withoutStack(new Error('x')), { many })],
    ['bytes', new Uint8Array(100_000).fill(7)],
    ['bytes among others', [many, new Uint8Array(100_000).fill(7), many]],
    ['text', 'é"\\'.repeat(30_000)],
    ['a list of text', ['é"\\'.repeat(30_000), 'x']],
  ])('comes back: %s', (_name, value) => {
    for (const references of ['duplicate', 'preserve'] as const) {
      const text = serialize(value, { references });
      expectSame(finish(deserializeInSteps(text)), value);
    }
  });

  test('takes many steps, none of which is long', () => {
    const rows = many.map((id) => ({ id, name: `name of ${id}`, tags: new Set([id, 'a']) }));
    const steps = deserializeInSteps(serialize(rows));
    let count = 0;
    while (steps.next().done !== true) count++;
    expect(count).toBeGreaterThan(100);
  });
});

function withoutStack(error: Error): Error {
  Object.defineProperty(error, 'stack', { value: '' });
  return error;
}

describe('JSON', () => {
  const pieces = [
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '\\',
    '"a"',
    '"a":',
    '1',
    '-',
    'null',
    ' ',
    '[]',
    '{}',
    '\\"',
    '"__proto__":',
  ];
  const anyText = fc
    .array(fc.constantFrom(...pieces), { maxLength: 24 })
    .map((all) => all.join(''));
  const anyJson = fc.json({ maxDepth: 4 });
  const mutated = fc
    .tuple(anyJson, fc.nat(), fc.nat(3), fc.constantFrom(...pieces))
    .map(([json, at, cut, piece]) => {
      const place = at % (json.length + 1);
      return json.slice(0, place) + piece + json.slice(place + cut);
    });

  test('is what `JSON.parse` takes for JSON, and means the same', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, anyJson, mutated),
        fc.constantFrom(...TINY_STEPS),
        (text, step) => {
          let expected: unknown;
          let isJson = true;
          try {
            expected = JSON.parse(text);
          } catch {
            isJson = false;
          }
          const parse = (): unknown => finish(parseInSteps(text, 100, step)).value;
          if (isJson) expect(parse()).toEqual(expected);
          else expect(parse).toThrow(expect.objectContaining({ code: 'MALFORMED' }));
        },
      ),
      { numRuns: 20_000 },
    );
  });

  test('that nests too deeply is refused before it is parsed', () => {
    const json = `${'['.repeat(100_000)}1${']'.repeat(100_000)}`;
    expect(() => finish(parseInSteps(json, 100))).toThrow(
      expect.objectContaining({ code: 'LIMIT' }),
    );
  });
});

test('a text is refused in steps exactly if it is refused in one', () => {
  const { 'long text': _long, 'far element': _far, ...values } = makeCorpus(api);
  const texts = Object.values(values).flatMap((value) => [
    serialize(value),
    serialize([value, value], { references: 'preserve' }),
  ]);
  const mutation = fc.tuple(
    fc.constantFrom(...texts),
    fc.nat(),
    fc.nat(12),
    fc.constantFrom('', '"', '1', '{', '[]', ',', '"data"', '"__type__"', 'null'),
  );
  fc.assert(
    fc.property(mutation, fc.constantFrom(...TINY_STEPS), ([text, at, cut, piece], step) => {
      const place = 5 + (at % (text.length - 4));
      const changed = text.slice(0, place) + piece + text.slice(place + cut);
      const expected = outcomeOf(() => deserialize(changed));
      const actual = outcomeOf(() => readTiny(changed, step));
      if ('code' in expected) expect(actual).toEqual(expected);
      else if ('code' in actual) expect(actual).toEqual(expected);
      else expectSame(actual.value, expected.value);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['no safe: text', 'unsafe:AAAA', 'UNSAFE_REJECTED'],
  ['too long', `safe:"${'a'.repeat(100)}"`, 'LIMIT'],
  ['too many values', `safe:[${'0,'.repeat(50_000)}0]`, 'LIMIT'],
])('what is refused as a whole is refused: %s', (_name, text, code) => {
  const limits = { maxBytes: text.length < 200 ? 50 : 1_000_000, maxNodes: 10_000 };
  expect(() => finish(deserializeInSteps(text, { limits }))).toThrow(
    expect.objectContaining({ code }),
  );
});

const MANY = Array.from({ length: 20_000 }, (_, index) => index).join(',');
const PAIRS = Array.from({ length: 20_000 }, (_, index) => `[${index},0]`).join(',');

test.each([
  ['a member of a long Set that is there twice', `safe:{"__type__":"set","data":[${MANY},7]}`],
  [
    'a key of a long Map that is there twice',
    `safe:{"__type__":"dict_with_complex_keys","data":[${PAIRS},[7,0]],"js":"Map"}`,
  ],
  [
    'a long list with two holes in a row',
    `safe:[${MANY},{"__type__":"hole","count":1},{"__type__":"hole","count":1},1]`,
  ],
])('%s is refused', (_name, text) => {
  expect(() => finish(deserializeInSteps(text))).toThrow(
    expect.objectContaining({ code: 'MALFORMED' }),
  );
});
