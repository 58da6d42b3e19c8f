import { isGloveboxError } from '@glovebox/core';
import type { Executor, Outcome } from '@glovebox/core';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** What a run that is told at once may take, by what good runs of its session took; never the limit. */
const tookAtOnce = (...good: readonly Outcome[]): number =>
  Math.max(500, ...good.map(({ usage }) => 20 * usage.wallMs));

const NAMES: readonly string[] = [
  'undefined',
  'NaN',
  'globalThis',
  'Promise',
  'tools',
  'console',
  'eval',
  'arguments',
  'await',
  'let',
  'constructor',
  'toString',
  'a b',
  'a;b',
  '1a',
  'a\u200B',
  '\u202Ea',
  '',
  'a'.repeat(257),
];

const refusal = async (executor: Executor, variables: object): Promise<string> => {
  try {
    await executor.run({ code: 'return 1', variables: variables as Record<string, unknown> });
    return 'ran';
  } catch (error) {
    return isGloveboxError(error) ? error.code : String(error);
  }
};

attacks('hostile variables', {}, [
  ...NAMES.map((name) => ({
    kind: 51 as const,
    name: `the name ${JSON.stringify(name.slice(0, 20))} is refused before anything runs`,
    script: async ({ executor }: { executor: Executor }) => {
      expect(await refusal(executor, { [name]: 1 })).toBe('INVALID_NAME');
      return [];
    },
  })),
  {
    kind: 51,
    name: '__proto__ as an own name is refused, and __proto__ as a prototype too',
    script: async ({ executor }) => {
      expect(await refusal(executor, JSON.parse('{"__proto__":1}') as object)).toBe('INVALID_NAME');
      expect(await refusal(executor, Object.create({ inherited: 1 }) as object)).toBe(
        'INVALID_OPTIONS',
      );
      return [];
    },
  },
  {
    kind: 51,
    name: 'a getter of the caller runs on the host alone, and the guest sees one value',
    script: async ({ executor }) => {
      let reads = 0;
      const outcome = await executor.run({
        code: 'return [given.a, given.a]',
        variables: {
          given: {
            get a() {
              return ++reads;
            },
          },
        },
      });
      expect(outcome).toMatchObject({ ok: true, value: [reads, reads] });
      return [outcome];
    },
  },
  {
    kind: 51,
    name: 'variables that throw when they are read are the fault of the caller',
    script: async ({ executor }) => {
      const throwing = {
        get a(): never {
          throw new Error('mine');
        },
      };
      expect(await refusal(executor, { given: throwing })).toBe('UNSERIALIZABLE_VARIABLES');
      return [];
    },
  },
  {
    kind: 51,
    name: 'variables are constants, and their parts are copies',
    code: `
      const seen = [];
      try { given = 1; seen.push('assigned'); } catch (error) { seen.push(error.name); }
      try { globalThis.given = 1; seen.push('assigned'); } catch (error) { seen.push(error.name); }
      given.list.push(2);
      return [seen, given.list]`,
    variables: { given: { list: [1] } },
    expected: {
      value: [
        ['TypeError', 'TypeError'],
        [1, 2],
      ],
    },
  },
  {
    kind: 51,
    name: 'text of a variable is never code',
    code: 'return [a, typeof pwn]',
    variables: {
      a: '`${globalThis.pwn = 1}`\u2028"+(globalThis.pwn=1)+"\\u0027); globalThis.pwn = 1',
    },
    expected: {
      value: [
        '`${globalThis.pwn = 1}`\u2028"+(globalThis.pwn=1)+"\\u0027); globalThis.pwn = 1',
        'undefined',
      ],
    },
  },
  {
    kind: 51,
    name: 'a variable may hide no tool, and a tool no variable',
    script: async ({ executor }) => {
      const clash = executor.run({ code: 'return 1', variables: { a: 1 }, tools: { a: () => 1 } });
      await expect(clash).rejects.toMatchObject({ code: 'INVALID_NAME' });
      return [];
    },
  },
  {
    kind: 51,
    name: 'a guest that poisons its session harms only what runs there',
    script: async ({ executor }) => {
      const session = await executor.openSession();
      try {
        const poison = await session.run({
          code: `
            Object.defineProperty(globalThis, 'fixed', { value: 1, configurable: false });
            for (const key of ['maxBytes', 'maxDepth', 'profile', 'limits']) Object.prototype[key] = 1;
            Object.defineProperty(SyntaxError.prototype, 'name', { get() { throw 1; } });
            return 1`,
        });
        expect(poison).toMatchObject({ ok: true });
        const later = await session.run({ code: 'return other', variables: { other: 7 } });
        expect(later).toMatchObject({ ok: true, value: 7 });
        const broken = await session.run({ code: 'return (' });
        expect(broken).toMatchObject({ ok: false, error: { code: 'SYNTAX_ERROR' } });
        const clash = await session.run({ code: 'return fixed', variables: { fixed: 2 } });
        // It cannot be given, so it is told at once; nobody waits for the clock.
        expect(clash.ok ? 'value' : clash.error.code).toBe('GUEST_ERROR');
        expect(clash.usage.wallMs).toBeLessThan(tookAtOnce(poison, later));
        return [poison, later, broken, clash];
      } finally {
        await session.close();
      }
    },
  },
  {
    kind: 51,
    name: 'a guest that freezes its global object leaves no run hanging',
    script: async ({ executor }) => {
      const session = await executor.openSession();
      try {
        const freeze = await session.run({ code: 'Object.freeze(globalThis); return 1' });
        expect(freeze).toMatchObject({ ok: true });
        const later = await session.run({ code: 'return other', variables: { other: 7 } });
        expect(later.ok ? 'value' : later.error.code).toBe('GUEST_ERROR');
        expect(later.usage.wallMs).toBeLessThan(tookAtOnce(freeze));
        return [freeze, later];
      } finally {
        await session.close();
      }
    },
  },
]);
