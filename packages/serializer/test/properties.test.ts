import { isDeepStrictEqual } from 'node:util';

import { deserialize, SafeSerializer, SerializationError, serialize } from '@glovebox/serializer';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { anyGraph, anyValue, pythonValue } from './fixtures/arbitraries.ts';
import { expectSame } from './fixtures/same.ts';

const runs = { numRuns: 2000 };
const python = new SafeSerializer({ profile: 'python' });

test('any value comes back as it went, by both ways of writing', () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const text = serialize(value);
      expect(serialize(value, { thorough: true })).toBe(text);
      expectSame(deserialize(text), value);
    }),
    runs,
  );
});

test('any value of Python comes back as it went, in the Python profile', () => {
  fc.assert(
    fc.property(pythonValue, (value) => {
      const text = python.serialize(value);
      const read = python.deserialize(text);
      expect(python.serialize(read)).toBe(text);
      expectSame(read, value);
    }),
    runs,
  );
});

test('any graph keeps who holds whom', () => {
  fc.assert(
    fc.property(anyGraph, (nodes) => {
      const read = deserialize<unknown[]>(serialize(nodes, { references: 'preserve' }));
      expect(structureOf(read)).toEqual(structureOf(nodes));
    }),
    runs,
  );
});

/** Each object by the number of its first visit, and what it holds. */
function structureOf(root: unknown): string[] {
  const numbers = new Map<unknown, number>();
  const lines: string[] = [];
  const visit = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return String(value);
    const known = numbers.get(value);
    if (known !== undefined) return `#${known}`;
    const number = numbers.size;
    numbers.set(value, number);
    const children =
      value instanceof Map
        ? [...value].flat()
        : value instanceof Set
          ? [...value]
          : Object.entries(value).flat();
    lines[number] = `${Object.prototype.toString.call(value)} ${children.map(visit).join(' ')}`;
    return `#${number}`;
  };
  visit(root);
  return lines;
}

test('trees with cycles to containers above come back as they went', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { maxLength: 20 }), (levels) => {
      const root: { next?: object; back?: object } = {};
      const path: object[] = [root];
      for (const level of levels) {
        const made = { back: path[level % path.length], list: [path[0]] };
        Object.assign(path.at(-1) as object, { next: made });
        path.push(made);
      }
      const read = deserialize<object>(serialize(root));
      expect(isDeepStrictEqual(read, root)).toBe(true);
      expect(serialize(read)).toBe(serialize(root));
    }),
    runs,
  );
});

test('any text at all is a value or a SerializationError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.string({ unit: 'binary' })), (json) => {
      for (const read of [deserialize, (text: string) => python.deserialize(text)]) {
        try {
          read(`safe:${json}`);
        } catch (error) {
          expect(error).toBeInstanceOf(SerializationError);
        }
      }
    }),
    { numRuns: 5000 },
  );
});
