import { valueOf } from '../support/pools.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const own = (entries: [string, unknown][]): object => {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return made;
};

const EVIL = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}';
const evil = own([
  ['__proto__', { polluted: 1 }],
  ['constructor', { prototype: { polluted: 1 } }],
]);

/** Copies as careless code does. */
const merge = (into: Record<string, unknown>, from: Record<string, unknown>): object => {
  for (const key of Object.keys(from)) into[key] = from[key];
  return into;
};

attacks('prototype pollution', {}, [
  {
    kind: 36,
    name: 'own keys that name prototypes come out as own keys',
    code: `return JSON.parse('${EVIL}')`,
    expected: { value: expect.anything() },
    check: (outcome) => {
      const value = valueOf(outcome) as Record<string, unknown>;
      expect(value).toEqual(evil);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
      expect({ ...value }).not.toHaveProperty('polluted');
    },
  },
  {
    kind: 36,
    name: 'deep in lists, maps and errors',
    code: `
      const evil = JSON.parse('${EVIL}');
      return [[evil], new Map([['__proto__', evil]]), { a: { b: evil } }]`,
    expected: { value: expect.anything() },
    check: (outcome) => {
      expect(valueOf(outcome)).toEqual([
        [evil],
        new Map([['__proto__', evil]]),
        { a: { b: evil } },
      ]);
    },
  },
  {
    kind: 36,
    name: 'as properties of an error',
    code: `
      const error = new Error('x');
      Object.defineProperty(error, '__proto__', { value: { polluted: 1 }, enumerable: true });
      return error`,
    expected: { value: expect.any(Error) },
    check: (outcome) => {
      expect(Object.getPrototypeOf(valueOf(outcome))).toBe(Error.prototype);
      expect(valueOf(outcome)).not.toHaveProperty('polluted');
    },
  },
  {
    kind: 36,
    name: 'as names in a thrown error',
    code: "throw Object.assign(new Error('x'), { name: '__proto__', code: 'constructor' })",
    expected: { error: 'GUEST_ERROR', name: '__proto__', guestCode: 'constructor' },
  },
  {
    kind: 36,
    name: 'as an array that carries them',
    code: "const list = [1]; Object.defineProperty(list, '__proto__', { value: { polluted: 1 }, enumerable: true }); return list",
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 36,
    name: 'a null prototype stays one',
    code: "return Object.assign(Object.create(null), { ['__proto__']: 1, toString: 2 })",
    expected: {
      value: Object.assign(Object.create(null), { ['__proto__']: 1, toString: 2 }),
    },
  },
  {
    kind: 20,
    name: 'arguments with such keys reach a tool as own keys',
    code: `return await tool(JSON.parse('${EVIL}'))`,
    tools: {
      tool: (input: Record<string, unknown>) => [
        Object.keys(input),
        Object.getPrototypeOf(input) === Object.prototype,
      ],
    },
    expected: { value: [['__proto__', 'constructor'], true] },
  },
  {
    kind: 20,
    name: 'a tool that copies carelessly hurts only its own object',
    code: `return await tool(JSON.parse('${EVIL}'))`,
    tools: { tool: (input: Record<string, unknown>) => Object.keys(merge({}, input)) },
    expected: { value: ['constructor'] },
  },
  {
    kind: 20,
    name: 'a path of keys in arguments is no path',
    code: "return await tool({ '__proto__.polluted': 1, 'constructor.prototype.polluted': 1, 'a[__proto__]': 1 })",
    tools: { tool: (input: object) => Object.keys(input) },
    expected: { value: ['__proto__.polluted', 'constructor.prototype.polluted', 'a[__proto__]'] },
  },
  {
    kind: 20,
    name: 'polluting the guest changes nothing of what reaches the host',
    code: `
      Object.prototype.polluted = 'guest';
      Object.prototype.path = '.forged';
      Object.prototype.kind = 'result-limit';
      Object.prototype.limit = 1;
      Array.prototype.extra = 'guest';
      await tool({ a: 1 });
      return { b: [2] }`,
    tools: { tool: (): number => 1 },
    expected: { value: { b: [2] } },
    check: (_outcome, calls) => {
      expect(calls).toStrictEqual([{ tool: 'tool', input: { a: 1 } }]);
    },
  },
  {
    kind: 20,
    name: 'nor does it change the failure that is reported',
    code: `
      for (const key of ['kind', 'path', 'limit', 'used', 'cause', 'code', 'stack', 'ran', 'retryable'])
        Object.prototype[key] = 'forged';
      throw new TypeError('real')`,
    expected: {
      error: 'GUEST_ERROR',
      name: 'TypeError',
      message: 'real',
      ran: 'yes',
      retryable: false,
    },
  },
]);
