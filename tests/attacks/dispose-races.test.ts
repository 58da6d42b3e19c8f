import { setTimeout as delay } from 'node:timers/promises';

import type { Executor, Outcome } from '@glovebox/core';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const abortAt = async (executor: Executor, code: string, afterMs: number): Promise<Outcome> => {
  const controller = new AbortController();
  if (afterMs < 0) controller.abort('at once');
  const run = executor.run({
    code,
    signal: controller.signal,
    limits: { toolCalls: 100_000 },
    tools: { quick: () => 1, slow: () => delay(20, 1), never: () => new Promise(() => undefined) },
  });
  if (afterMs >= 0) setTimeout(() => controller.abort('later'), afterMs);
  return run;
};

/** When runs are aborted, in milliseconds; the first one before it begins. */
const MOMENTS = [-1, 0, 1, 2, 4, 8, 16, 30];

const PROGRAMS: readonly [name: string, code: string][] = [
  ['a loop', 'for (;;);'],
  ['a promise that never settles', 'await new Promise(() => {})'],
  ['a pending call', 'await never()'],
  ['many calls', 'for (;;) await quick()'],
  [
    'slow calls in parallel',
    'await Promise.all(Array.from({ length: 20 }, () => slow())); for (;;);',
  ],
  ['timers', 'setInterval(() => 1, 1); await new Promise(() => {})'],
  ['a compile error', `return ${'('.repeat(10_000)}`],
  ['a large source', `return [${'1,'.repeat(50_000)}]`],
  ['a large result', 'return Array(200000).fill("abc")'],
  [
    'an error that loops when it is read',
    'throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } })',
  ],
];

attacks('ends that race each other', {}, [
  ...PROGRAMS.map(([name, code]) => ({
    kind: 58 as const,
    name: `aborted at any moment: ${name}`,
    // An abort ends a run as soon as its wall limit would.
    wallMs: Math.max(...MOMENTS),
    script: async ({ executor }: { executor: Executor }) => {
      const outcomes = [];
      for (const afterMs of MOMENTS) outcomes.push(await abortAt(executor, code, afterMs));
      for (const outcome of outcomes) {
        const end = outcome.ok ? 'value' : outcome.error.code;
        expect(['ABORTED', 'value', 'SYNTAX_ERROR']).toContain(end);
      }
      expect(outcomes[0]).toMatchObject({
        ok: false,
        error: { code: 'ABORTED', ran: 'no', cause: 'at once' },
      });
      return outcomes;
    },
  })),
  {
    kind: 58,
    name: 'a run that was aborted burns nothing three hundred milliseconds later',
    wallMs: 20,
    script: async ({ executor }) => {
      const outcome = await abortAt(executor, 'for (;;);', 20);
      expect(outcome).toMatchObject({ ok: false, error: { code: 'ABORTED', cause: 'later' } });
      return [outcome];
    },
  },
  {
    kind: 58,
    name: 'aborted twice, and by its own tool',
    script: async ({ executor }) => {
      const controller = new AbortController();
      const outcome = await executor.run({
        code: 'await stop(); for (;;);',
        signal: controller.signal,
        tools: {
          stop: () => {
            controller.abort('first');
            controller.abort('second');
            return 1;
          },
        },
      });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'ABORTED', cause: 'first' } });
      return [outcome];
    },
  },
  {
    kind: 58,
    name: 'the wall limit, the end and an abort in the same millisecond',
    wallMs: 60,
    script: async ({ executor }) => {
      const outcomes = [];
      for (let count = 0; count < 10; count++) {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 60);
        outcomes.push(
          await executor.run({
            code: 'await new Promise((resolve) => setTimeout(resolve, 58)); return 1',
            signal: controller.signal,
            limits: { wallMs: 60 },
          }),
        );
      }
      for (const outcome of outcomes) {
        expect(['value', 'WALL_LIMIT', 'ABORTED']).toContain(
          outcome.ok ? 'value' : outcome.error.code,
        );
      }
      return outcomes;
    },
  },
  {
    kind: 58,
    name: 'a session that is closed under its run',
    script: async ({ executor }) => {
      const begun = Promise.withResolvers<void>();
      const session = await executor.openSession({ tools: { begun: () => begun.resolve() } });
      const run = session.run({ code: 'await begun(); await new Promise(() => {})' });
      await begun.promise;
      await session.close();
      const outcome = await run;
      expect(outcome.ok ? 'value' : outcome.error.code).toMatch(
        /^(?:SESSION_UNKNOWN|SESSION_LOST|ABORTED)$/,
      );
      return [outcome];
    },
  },
]);
