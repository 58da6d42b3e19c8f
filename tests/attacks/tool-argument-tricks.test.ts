import type { Executor } from '@glovebox/core';
import { z } from 'zod';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const schema = z.object({ id: z.number().int().max(100), note: z.string().optional() });

const ARGUMENTS: readonly [name: string, argument: string][] = [
  ['of another type', '{ id: "7" }'],
  ['beyond the range', '{ id: 101 }'],
  ['missing', '{}'],
  ['nothing at all', 'undefined'],
  ['null', 'null'],
  ['a list', '[{ id: 7 }]'],
  ['inherited', 'Object.create({ id: 7 })'],
  ['NaN', '{ id: NaN }'],
  ['a bigint', '{ id: 7n }'],
  ['boxed', '{ id: Object(7) }'],
  ['a text in place of the object', '"{\\"id\\":7}"'],
];

const typed = (input: { id: number }): number => input.id;

/**
 * A tool with a schema as the harness would record it is a function; this one checks by itself, as
 * the product does for a definition.
 */
attacks('tool arguments that are not what they should be', {}, [
  ...ARGUMENTS.map(([name, argument]) => ({
    kind: 49 as const,
    name: `${name}: the schema refuses it before the tool runs`,
    script: async ({ executor }: { executor: Executor }) => {
      const seen: unknown[] = [];
      const outcome = await executor.run({
        code: `return await page(${argument}).then(() => 'passed', (error) => error.code)`,
        tools: {
          page: {
            inputSchema: schema,
            execute: (input: { id: number }) => {
              seen.push(input);
              return typed(input);
            },
          },
        },
      });
      expect(seen).toEqual([]);
      expect(outcome.ok ? outcome.value : outcome.error.code).toMatch(
        /^(?:INVALID_ARGUMENTS|UNSUPPORTED_TYPE)$/,
      );
      return [outcome];
    },
  })),
  {
    kind: 49,
    name: 'keys that the schema does not know do not reach the tool',
    script: async ({ executor }) => {
      const seen: unknown[] = [];
      const outcome = await executor.run({
        code: `return await page(JSON.parse('{"id":7,"__proto__":{"admin":true},"admin":true}'))`,
        tools: {
          page: {
            inputSchema: schema,
            execute: (input: { id: number }) => {
              seen.push(input);
              return Object.keys(input);
            },
          },
        },
      });
      expect(outcome).toMatchObject({ ok: true, value: ['id'] });
      expect(seen).toEqual([{ id: 7 }]);
      return [outcome];
    },
  },
  {
    kind: 49,
    name: 'more than one argument is refused in the guest',
    code: 'return await tool(1, 2).catch((error) => error.name)',
    tools: { tool: () => 1 },
    expected: { value: 'TypeError' },
    check: (_outcome, calls) => {
      expect(calls).toEqual([]);
    },
  },
  ...(
    [
      ['no argument', 'tool()', undefined],
      ['undefined', 'tool(undefined)', undefined],
      ['a callback', 'tool(() => 1).catch(() => "refused")', 'refused'],
      ['a promise', 'tool(Promise.resolve(1)).catch(() => "refused")', 'refused'],
      ['the tools', 'tool(tools).catch(() => "refused")', 'refused'],
    ] as const
  ).map(([name, call, value]) => ({
    kind: 49 as const,
    name: `${name} is told apart`,
    code: `return await ${call}`,
    tools: { tool: (input: unknown) => input },
    expected: { value },
  })),
  {
    kind: 49,
    name: 'a tool never gets a live object of the guest',
    code: 'const a = { n: 1 }; const call = tool(a); a.n = 2; const back = await call; back.n = 3; return [a.n, back.n, await tool(a)]',
    tools: {
      tool: (input: { n: number }) => {
        const given = input.n;
        input.n = 100;
        return { n: given };
      },
    },
    expected: { value: [2, 3, { n: 2 }] },
  },
]);
