import { Decimal, tuple } from '@glovebox/serializer';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** Objects that wear the prototype of another type without its slots. */
const CLAIMS = [
  'Date',
  'Map',
  'Set',
  'RegExp',
  'ArrayBuffer',
  'Uint8Array',
  'DataView',
  'Promise',
  'Number',
  'String',
  'Boolean',
  'BigInt',
];

attacks('objects that claim another type', {}, [
  ...CLAIMS.map((type) => ({
    kind: 44 as const,
    name: `an object with the prototype of ${type} is refused`,
    code: `return [Object.create(${type}.prototype, { a: { value: 1, enumerable: true } })]`,
    expected: { error: 'UNSERIALIZABLE_RESULT' } as const,
  })),
  ...CLAIMS.slice(0, 7).map((type) => ({
    kind: 44 as const,
    name: `an object tagged as ${type} is the plain object that it is`,
    code: `Object.defineProperty(Object.prototype, Symbol.toStringTag, { value: '${type}' }); return { a: 1 }`,
    expected: { value: { a: 1 } },
  })),
  {
    kind: 44,
    name: 'a date with the prototype of Map, and a map with that of Date',
    code: 'return [Object.setPrototypeOf(new Date(0), Map.prototype), Object.setPrototypeOf(new Map(), Date.prototype)]',
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 44,
    name: 'an object with the prototype of Array, and an array without it',
    code: 'return [Object.setPrototypeOf([1], null)]',
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 44,
    name: 'an object that inherits from Error is no error with slots, and runs nothing',
    code: 'return Object.create(Error.prototype, { message: { value: "fake" } })',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
    check: (outcome) => {
      if (outcome.ok) expect(outcome.value).toBeInstanceOf(Error);
    },
  },
  {
    kind: 44,
    name: 'an error class of the guest becomes a class of the language',
    code: `
      class GloveboxError extends TypeError { name = 'GloveboxError'; }
      const error = new GloveboxError('x');
      delete error.stack;
      return error`,
    expected: { value: expect.any(TypeError) },
    check: (outcome) => {
      const error = (outcome as { value: Error }).value;
      expect(error.constructor).toBe(TypeError);
      expect(
        Reflect.ownKeys(error)
          .map(String)
          .filter((key) => key.includes('glovebox')),
      ).toEqual([]);
    },
  },
  {
    kind: 44,
    name: 'boxed primitives with methods of their own',
    code: 'return Object.assign(Object(1), { valueOf: 2 })',
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 44,
    name: 'an object with the prototype of a tuple',
    code: 'return Object.setPrototypeOf([1, () => 2], Object.getPrototypeOf(pair))',
    variables: { pair: tuple(1) },
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 44,
    name: 'an object with the prototype of a Decimal, and a Decimal of other text',
    code: `
      const Decimal = price.constructor;
      const refused = [];
      for (const text of ['1; rm -rf', '', '1\\n', {}, { toString: () => '1' }])
        try { new Decimal(text); refused.push(false); } catch { refused.push(true); }
      if (refused.includes(false)) return refused;
      return Object.create(Decimal.prototype)`,
    variables: { price: new Decimal('1.10') },
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 44,
    name: 'classes of values cannot be changed under the runtime',
    code: `
      const { constructor } = price;
      for (const target of [constructor, constructor.prototype])
        for (const key of ['toString', 'constructor', 'toNumber'])
          try { Object.defineProperty(target, key, { value: () => 'FORGED' }); } catch {}
      return price`,
    variables: { price: new Decimal('1.10') },
    expected: { value: new Decimal('1.10') },
    check: (outcome) => {
      expect(String((outcome as { value: Decimal }).value)).toBe('1.10');
    },
  },
]);
