import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const isInert = (value: unknown): boolean =>
  typeof value !== 'function' &&
  !(value instanceof Promise) &&
  typeof (value as { then?: unknown } | null)?.then !== 'function';

attacks('values that act when they are read', {}, [
  ...[
    ['a function', 'return () => 1'],
    ['a class', 'return class {}'],
    ['a bound function', 'return console.log.bind(null)'],
    ['a tool', 'return tool'],
    ['a generator function', 'return function* () {}'],
    [
      'a function with a source in its toString',
      'const f = () => 1; f.toString = () => "() => process.exit()"; return f',
    ],
  ].map(([name, code]) => ({
    kind: 52 as const,
    name: `${name} does not cross`,
    code: `return [await (async () => { ${code} })()]`,
    tools: { tool: (): number => 1 },
    expected: { error: 'UNSERIALIZABLE_RESULT' } as const,
  })),
  {
    kind: 52,
    name: 'data with then, toJSON, valueOf and inspect is data',
    code: `return { then: 1, toJSON: 'x', valueOf: null, toString: [], [Symbol.iterator.description]: 1, inspect: {} }`,
    expected: {
      value: {
        // oxlint-disable-next-line unicorn/no-thenable -- that is the hazard
        then: 1,
        toJSON: 'x',
        valueOf: null,
        toString: [],
        'Symbol.iterator': 1,
        inspect: {},
      },
    },
    check: (outcome) => {
      expect(isInert((outcome as { value: unknown }).value)).toBe(true);
    },
  },
  ...[
    ['GloveboxError', 'Error'],
    ['SystemError', 'Error'],
    ['DOMException', 'Error'],
    ['process', 'Error'],
    ['__proto__', 'Error'],
    ['TypeError', 'TypeError'],
  ].map(([name, expected]) => ({
    kind: 52 as const,
    name: `an error that is named ${name} finds no class of the host by that name`,
    code: `const error = new ${expected}('x'); error.name = '${name}'; delete error.stack; return [error]`,
    expected: { value: [expect.any(Error)] },
    check: (outcome: unknown) => {
      const [error] = (outcome as { value: [Error] }).value;
      expect(error.constructor.name).toBe(expected);
      expect(error.name).toBe(name);
    },
  })),
  {
    kind: 52,
    name: 'an error brings the stack that the guest wrote, as text',
    code: 'const error = new Error("x"); error.stack = "written by the guest"; return error',
    expected: { value: expect.any(Error) },
    check: (outcome) => {
      const { stack } = (outcome as { value: Error }).value;
      expect([undefined, 'written by the guest', 'Error: x']).toContain(stack);
    },
  },
  {
    kind: 52,
    name: 'no address is opened, no path is resolved and no class is loaded for a value',
    code: `return [{ __type__: 'Path', data: '/etc/passwd' }, { __type__: 'PIL.Image', data: 'AAAA' }, { __type__: 'dataclass', class_name: 'fs', module: 'node:fs', data: {} }]`,
    expected: {
      value: [
        { __type__: 'Path', data: '/etc/passwd' },
        { __type__: 'PIL.Image', data: 'AAAA' },
        { __type__: 'dataclass', class_name: 'fs', module: 'node:fs', data: {} },
      ],
    },
  },
  {
    kind: [29, 52],
    name: 'a pattern that cannot be compiled by the host is not sent as one',
    code: 'const p = /a/; for (const key of ["source", "flags"]) Object.defineProperty(p, key, { value: "(" }); return [p]',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
    check: (outcome) => {
      if (outcome.ok) expect(outcome.value).toEqual([/a/]);
    },
  },
]);
