import { isGloveboxError } from '@glovebox/core';
import type { Session } from '@glovebox/core';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { ampleWallMs } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

const MAX_SESSIONS = 3;

describeEachPool(
  'sessions',
  (executor) => {
    // One for all tests that do not end it: each is a host of its own. They share no names.
    let session: Session;
    const notes: unknown[] = [];
    beforeAll(async () => {
      session = await executor().openSession({
        tools: { note: (input: unknown) => notes.push(input) },
      });
    });
    afterAll(() => session.close());

    test('state stays from run to run', async () => {
      valueOf(await session.run({ code: 'globalThis.count = 1; globalThis.since = new Date(5)' }));
      valueOf(await session.run({ code: 'count += more', variables: { more: 10 } }));
      expect(valueOf(await session.run({ code: 'return [count, since]' }))).toStrictEqual([
        11,
        new Date(5),
      ]);
    });

    test.each([
      ['const a1 = 1;', 'return a1', 1],
      ['let a2 = 1, b2', 'b2 = a2 + 1; return [a2, b2]', [1, 2]],
      ['var a3\n= 3', 'return a3', 3],
      [
        'const { a4, b: [c4, ...d4], e4 = 5 } = { a4: 1, b: [2, 3, 4] }',
        'return [a4, c4, d4, e4]',
        [1, 2, [3, 4], 5],
      ],
      ['foo()\nconst [a5] = [7]\nfunction foo() {}', 'return [a5, typeof foo]', [7, 'function']],
      ['class A6 { x = 1 }\nconst b6 = new A6()', 'return [b6.x, b6 instanceof A6]', [1, true]],
      ['async function later() { return 4 }', 'return later()', 4],
      ['const a8: number = 1; interface B8 { c: string }', 'return a8', 1],
      ['const a9 = await 6', 'return a9', 6],
      ['const a10 = 1; if (a10) { return "early" }', 'return a10', 1],
      ['const a11 = 2; { const inner = 1 }', 'return [a11, typeof inner]', [2, 'undefined']],
    ])('what %j declares is there in the next run', async (first, second, expected) => {
      valueOf(await session.run({ code: first }));
      expect(valueOf(await session.run({ code: second }))).toEqual(expected);
    });

    test('a declaration may be made again, and hide a variable', async () => {
      const code = 'const again = 1; const given = 5';
      valueOf(await session.run({ code, variables: { given: 2 } }));
      valueOf(await session.run({ code: 'const again = 2' }));
      expect(valueOf(await session.run({ code: 'return [again, given]' }))).toEqual([2, 5]);
    });

    test('errors keep their places where declarations persist', async () => {
      const code = 'const one = 1;\nconst { two } = { two: null };\n  const three = two.x;';
      expect(errorOf(await session.run({ code }))).toMatchObject({ line: 3, column: 21 });
    });

    test('an error does not cost the state', async () => {
      valueOf(await session.run({ code: 'globalThis.kept = 1' }));
      expect(errorOf(await session.run({ code: 'throw new Error("x")' })).code).toBe('GUEST_ERROR');
      expect(errorOf(await session.run({ code: 'let 1' })).code).toBe('SYNTAX_ERROR');
      expect(valueOf(await session.run({ code: 'return kept' }))).toBe(1);
    });

    test('variables may change, tools stay', async () => {
      for (const n of [1, 2])
        valueOf(await session.run({ code: 'await note(n)', variables: { n } }));
      expect(notes).toEqual([1, 2]);
    });

    test('runs asked for together come one after the other', async () => {
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

    test('timers of an earlier run are gone in the next one', async () => {
      const code = 'globalThis.fired = 0; setTimeout(() => fired++, 20); return 1';
      valueOf(await session.run({ code }));
      const wait = 'await new Promise((resolve) => setTimeout(resolve, 60)); return fired';
      expect(valueOf(await session.run({ code: wait }))).toBe(0);
    });

    test('sessions do not see each other, nor other runs', async () => {
      await using other = await executor().openSession();
      valueOf(await session.run({ code: 'globalThis.mine = 1' }));
      expect(valueOf(await other.run({ code: 'return typeof mine' }))).toBe('undefined');
      expect(valueOf(await executor().run({ code: 'return typeof mine' }))).toBe('undefined');
    });

    test('a run that a limit ends takes the state with it, and that is told', async () => {
      const wallMs = await ampleWallMs(() => session.run({ code: 'return 1' }));
      await using ended = await executor().openSession({ limits: { wallMs } });
      valueOf(await ended.run({ code: 'globalThis.kept = 1' }));
      expect(errorOf(await ended.run({ code: 'for (;;);' })).code).toBe('WALL_LIMIT');
      const lost = errorOf(await ended.run({ code: 'return 1' }));
      expect(lost).toMatchObject({ code: 'SESSION_LOST', ran: 'no' });
    });

    test('there is a bound on open sessions, and a closed one is unknown', async () => {
      const more: Session[] = [];
      try {
        for (let count = 1; count < MAX_SESSIONS; count++) {
          more.push(await executor().openSession());
        }
        const refused = await executor()
          .openSession()
          .catch((error: unknown) => error);
        expect(isGloveboxError(refused) && refused.code).toBe('SESSION_LIMIT');
      } finally {
        await Promise.all(more.map((each) => each.close()));
      }
      for (const closed of more) {
        expect(errorOf(await closed.run({ code: 'return 1' }))).toMatchObject({
          code: 'SESSION_UNKNOWN',
          ran: 'no',
        });
      }
    });
  },
  { maxSessions: MAX_SESSIONS },
);
