import { readFileSync } from 'node:fs';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** Everything that a guest can read of an error, and of all that hangs on it. */
const READ = `
  function read(error) {
    const keys = [];
    for (let at = error; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) keys.push(...Reflect.ownKeys(at).map(String));
    return { keys: [...new Set(keys)].sort(), stack: String(error.stack), text: String(error), cause: typeof error.cause, errors: typeof error.errors };
  }`;

const KEYS = ['constructor', 'message', 'name', 'stack', 'toString'];

class Disposal extends Error {}

const named = (): number => 1;

attacks('exceptions of the host', {}, [
  ...(
    [
      [
        'an error with a cause',
        () => {
          throw new Error('outer', { cause: new Error('inner') });
        },
        'Error: outer',
      ],
      [
        'an AggregateError',
        () => {
          throw new AggregateError([new Error('one')], 'many');
        },
        'AggregateError: many',
      ],
      [
        'a SuppressedError',
        () => {
          throw new SuppressedError(new Error('a'), new Error('b'), 'both');
        },
        'SuppressedError: both',
      ],
      [
        'an error of a class of the host',
        () => {
          throw new Disposal('own class');
        },
        'Error: own class',
      ],
      ['a rejection', () => Promise.reject(new TypeError('late')), 'TypeError: late'],
    ] as const
  ).map(([name, execute, text]) => ({
    kind: 10 as const,
    name: `${name} is name and message to the guest`,
    code: `${READ} return tool().catch(read)`,
    tools: { tool: execute },
    expected: {
      value: {
        keys: KEYS,
        stack: expect.stringMatching(/^[^/]*$/),
        text,
        cause: 'undefined',
        errors: 'undefined',
      },
    },
  })),
  {
    kind: 10,
    name: 'a stack overflow in a tool is an error of the guest realm',
    code: 'return tool().catch((error) => [error.name, error instanceof Error, error.constructor === Error])',
    tools: {
      tool: (): number => {
        const deep = (n: number): number => deep(n + 1) + 1;
        return deep(0);
      },
    },
    expected: { value: ['RangeError', true, true] },
  },
  {
    kind: 10,
    name: 'a tool that throws a proxy, a function or nothing at all',
    code: 'return Promise.all([proxy(), thing(), nothing()].map((call) => call.catch((e) => [e.name, e.message])))',
    tools: {
      proxy: (): never => {
        throw new Proxy(
          {},
          {
            get: () => {
              throw new Error('trap');
            },
          },
        );
      },
      thing: (): never => {
        throw named;
      },
      nothing: (): never => {
        throw undefined;
      },
    },
    expected: {
      value: [
        ['Error', ''],
        ['named', '[Function: named]'],
        ['Error', 'undefined'],
      ],
    },
  },
  {
    kind: 10,
    name: 'an error whose name is no text gives nothing away in its stack',
    code: `
      const error = new Error('x');
      error.name = Symbol('s');
      try { return String(error.stack) } catch (thrown) { return String(thrown.stack) }`,
    expected: { value: expect.not.stringMatching(/[/\\]/) },
  },
  {
    kind: 22,
    name: 'the stack of a tool error names nothing of the host',
    code: 'return tool().catch((error) => error.stack)',
    tools: {
      tool: (): never => {
        throw new Error('deep');
      },
    },
    expected: { value: expect.not.stringMatching(/\/|node:|\.ts/) },
  },
  {
    kind: 22,
    name: 'a stack that a tool puts into details is not added by Glovebox',
    code: 'return tool().catch((error) => Object.keys(error.details))',
    tools: {
      tool: (): never => {
        throw Object.assign(new Error('x'), { details: { at: 1 } });
      },
    },
    expected: { value: ['at'] },
  },
  {
    kind: 22,
    name: 'an error returned by a tool brings no stack of the host',
    code: 'const error = await tool(); return [String(error.stack), String(error.cause?.stack)]',
    tools: { tool: (): Error => new Error('as a value', { cause: new RangeError('inner') }) },
    expected: { value: expect.not.arrayContaining([expect.stringMatching(/[/\\]/)]) },
  },
  {
    kind: 22,
    name: 'an error given as a variable brings no stack of the host',
    code: 'return [String(given.stack), given.message]',
    variables: { given: new Error('as a variable') },
    expected: { value: [expect.not.stringMatching(/[/\\]/), 'as a variable'] },
  },
  {
    kind: 22,
    name: 'nor does an error in the details of a tool error',
    code: 'return tool().catch((error) => String(error.details.inner.stack))',
    tools: {
      tool: (): never => {
        throw Object.assign(new Error('x'), { details: { inner: new Error('y') } });
      },
    },
    expected: { value: expect.not.stringMatching(/[/\\]/) },
  },
  {
    kind: 22,
    name: 'frames of the runtime are left out of the stack that the caller sees',
    code: 'JSON.parse("{")',
    expected: { error: 'GUEST_ERROR', name: 'SyntaxError' },
    check: (outcome) => {
      expect(outcome.ok ? '' : outcome.error.stack).toMatch(/guest\.js:1:6/);
      expect(outcome.ok ? '' : outcome.error.stack).not.toMatch(/glovebox:runtime/);
    },
  },
  {
    kind: 22,
    name: 'a refusal of the runtime names no file',
    code: 'return [await tool(() => 1).catch((e) => e.stack), await tool(1, 2).catch((e) => e.stack)].join()',
    tools: { tool: (): number => 1 },
    expected: { value: expect.not.stringMatching(/[/\\]/) },
  },
  {
    kind: 22,
    name: 'what a tool says in its message is said, and nothing is added',
    code: 'return read().catch((error) => [error.code, error.message.startsWith("ENOENT"), Object.keys(error)])',
    tools: { read: (): string => readFileSync('/nowhere/at/all', 'utf8') },
    expected: { value: ['ENOENT', true, []] },
  },
]);
