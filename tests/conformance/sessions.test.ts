import { isGloveboxError } from '@glovebox/core';
import { expect, test } from 'vitest';

import { ampleWallMs } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool(
  'sessions',
  (executor) => {
    test('state stays from run to run', async () => {
      await using session = await executor().openSession();
      valueOf(await session.run({ code: 'globalThis.count = 1; globalThis.since = new Date(5)' }));
      valueOf(await session.run({ code: 'count += n', variables: { n: 10 } }));
      expect(valueOf(await session.run({ code: 'return [count, since]' }))).toStrictEqual([
        11,
        new Date(5),
      ]);
    });

    test.each([
      ['const a = 1;', 'return a', 1],
      ['let a = 1, b', 'b = a + 1; return [a, b]', [1, 2]],
      ['var a\n= 3', 'return a', 3],
      [
        'const { a, b: [c, ...d], e = 5 } = { a: 1, b: [2, 3, 4] }',
        'return [a, c, d, e]',
        [1, 2, [3, 4], 5],
      ],
      ['foo()\nconst [a] = [7]\nfunction foo() {}', 'return [a, typeof foo]', [7, 'function']],
      ['class A { x = 1 }\nconst b = new A()', 'return [b.x, b instanceof A]', [1, true]],
      ['async function later() { return 4 }', 'return later()', 4],
      ['const a: number = 1; interface B { c: string }', 'return a', 1],
      ['const a = await 6', 'return a', 6],
      ['const a = 1; if (a) { return "early" }', 'return a', 1],
      ['const n = 2; { const inner = 1 }', 'return [n, typeof inner]', [2, 'undefined']],
    ])('what %j declares is there in the next run', async (first, second, expected) => {
      await using session = await executor().openSession();
      valueOf(await session.run({ code: first }));
      expect(valueOf(await session.run({ code: second }))).toEqual(expected);
    });

    test('a declaration may be made again, and hide a variable', async () => {
      await using session = await executor().openSession();
      valueOf(await session.run({ code: 'const a = 1; const given = 5', variables: { given: 2 } }));
      valueOf(await session.run({ code: 'const a = 2' }));
      expect(valueOf(await session.run({ code: 'return [a, given]' }))).toEqual([2, 5]);
    });

    test('errors keep their places where declarations persist', async () => {
      await using session = await executor().openSession();
      const code = 'const one = 1;\nconst { two } = { two: null };\n  const three = two.x;';
      expect(errorOf(await session.run({ code }))).toMatchObject({ line: 3, column: 21 });
    });

    test('an error does not cost the state', async () => {
      await using session = await executor().openSession();
      valueOf(await session.run({ code: 'globalThis.kept = 1' }));
      expect(errorOf(await session.run({ code: 'throw new Error("x")' })).code).toBe('GUEST_ERROR');
      expect(errorOf(await session.run({ code: 'let 1' })).code).toBe('SYNTAX_ERROR');
      expect(valueOf(await session.run({ code: 'return kept' }))).toBe(1);
    });

    test('variables may change, tools stay', async () => {
      const calls: unknown[] = [];
      await using session = await executor().openSession({
        tools: { note: (input: unknown) => calls.push(input) },
      });
      for (const n of [1, 2])
        valueOf(await session.run({ code: 'await note(n)', variables: { n } }));
      expect(calls).toEqual([1, 2]);
    });

    test('runs asked for together come one after the other', async () => {
      await using session = await executor().openSession();
      const code = `
      globalThis.order ??= [];
      order.push('in' + n);
      await new Promise((resolve) => setTimeout(resolve, 10));
      order.push('out' + n);
      return order`;
      const outcomes = await Promise.all(
        [1, 2, 3].map((n) => session.run({ code, variables: { n } })),
      );
      expect(valueOf(outcomes[2] as never)).toEqual(['in1', 'out1', 'in2', 'out2', 'in3', 'out3']);
    });

    test('a run that a limit ends takes the state with it, and that is told', async () => {
      const wallMs = await ampleWallMs(() => executor().run({ code: 'return 1' }));
      await using session = await executor().openSession({ limits: { wallMs } });
      valueOf(await session.run({ code: 'globalThis.kept = 1' }));
      expect(errorOf(await session.run({ code: 'for (;;);' })).code).toBe('WALL_LIMIT');
      const lost = errorOf(await session.run({ code: 'return 1' }));
      expect(lost).toMatchObject({ code: 'SESSION_LOST', ran: 'no' });
    });

    test('a closed session is unknown', async () => {
      const session = await executor().openSession();
      await session.close();
      expect(errorOf(await session.run({ code: 'return 1' }))).toMatchObject({
        code: 'SESSION_UNKNOWN',
        ran: 'no',
      });
    });

    test('sessions do not see each other, nor other runs', async () => {
      await using one = await executor().openSession();
      await using two = await executor().openSession();
      valueOf(await one.run({ code: 'globalThis.mine = 1' }));
      expect(valueOf(await two.run({ code: 'return typeof mine' }))).toBe('undefined');
      expect(valueOf(await executor().run({ code: 'return typeof mine' }))).toBe('undefined');
    });

    test('timers of an earlier run are gone in the next one', async () => {
      await using session = await executor().openSession();
      const code = 'globalThis.fired = 0; setTimeout(() => fired++, 20); return 1';
      valueOf(await session.run({ code }));
      const wait = 'await new Promise((resolve) => setTimeout(resolve, 60)); return fired';
      expect(valueOf(await session.run({ code: wait }))).toBe(0);
    });

    test('there is a bound on open sessions', async () => {
      const open = [];
      try {
        for (let count = 0; count < 3; count++) open.push(await executor().openSession());
        const refused = await executor()
          .openSession()
          .catch((error: unknown) => error);
        expect(isGloveboxError(refused) && refused.code).toBe('SESSION_LIMIT');
      } finally {
        await Promise.all(open.map((session) => session.close()));
      }
    });
  },
  { maxSessions: 3 },
);
