import { setTimeout as delay } from 'node:timers/promises';

import { Gathering } from '../support/gathering.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

attacks('tools within tools, refusals, and work after the end', {}, [
  {
    kind: 64,
    name: 'a tool that runs a guest that calls a tool',
    script: async ({ executor }) => {
      const dive = async (depth: number): Promise<unknown> => {
        if (depth === 0) return 'bottom';
        const outcome = await executor.run({
          code: 'return await deeper(n)',
          variables: { n: depth - 1 },
          tools: { deeper: (n: number) => n },
        });
        return outcome.ok ? outcome.value : outcome.error.code;
      };
      expect(await Promise.all([dive(1), dive(2), dive(3)])).toEqual([0, 1, 2]);
      return [];
    },
  },
  {
    kind: 64,
    name: 'a hundred thousand calls at once',
    code: 'return await Promise.all(Array.from({ length: 1e5 }, (_, n) => tool(n)))',
    tools: { tool: (n: number) => n },
    expected: { error: 'TOOL_CALL_LIMIT', limit: 256 },
    check: (_outcome, calls) => {
      expect(calls.length).toBeLessThanOrEqual(256);
    },
  },
  {
    kind: 64,
    name: 'a tool called from the answer of a tool, without an end',
    code: 'const again = (n) => tool(n).then(again); await again(0)',
    tools: { tool: (n: number) => n + 1 },
    expected: { error: 'TOOL_CALL_LIMIT', limit: 256, used: 257 },
    check: (_outcome, calls) => {
      expect(calls).toHaveLength(256);
    },
  },
  {
    kind: 64,
    name: 'no more run at once than are allowed',
    script: async ({ executor }) => {
      const gathering = new Gathering(5);
      // It comes behind all that the guest sends at once.
      const allMade = Promise.withResolvers<void>();
      const run = executor.run({
        code: `
          const all = Array.from({ length: 200 }, () => tool());
          console.log('all made');
          return (await Promise.all(all)).length`,
        tools: { tool: () => gathering.call() },
        limits: { toolCallsInFlight: 5 },
        onLog: () => allMade.resolve(),
      });
      await Promise.all([gathering.full, allMade.promise]);
      gathering.open();
      const outcome = await run;
      expect(outcome).toMatchObject({ ok: true, value: 200 });
      expect(gathering.most).toBe(5);
      return [outcome];
    },
  },
  ...[
    ['a tool that throws', 'for (;;) { try { await fails() } catch {} }'],
    ['arguments that cannot cross', 'for (;;) { try { await tool(() => 1) } catch {} }'],
    ['too many arguments', 'for (;;) { try { await tool(1, 2) } catch {} }'],
    [
      'catch and finally',
      'const again = () => fails().catch(() => {}).finally(again); await again()',
    ],
    [
      'the error of the limit itself',
      'for (let n = 0; ; n++) { try { await tool(n) } catch (error) { globalThis.last = error } }',
    ],
  ].map(([name, code]) => ({
    kind: 65 as const,
    name: `${name}, swallowed again and again, is bounded`,
    code: code ?? '',
    tools: {
      tool: (): number => 1,
      fails: (): never => {
        throw new Error('no');
      },
    },
    expected: { endsIn: ['TOOL_CALL_LIMIT', 'WALL_LIMIT'] as const },
    limits: { wallMs: 500 },
    check: (outcome: { usage: { toolCalls: number } }) => {
      expect(outcome.usage.toolCalls).toBeLessThanOrEqual(257);
    },
  })),
  {
    kind: 66,
    name: 'calls that are not awaited are aborted with the run',
    script: async ({ executor }) => {
      let aborted = 0;
      const outcome = await executor.run({
        code: 'for (let n = 0; n < 10; n++) slow(n); await quick(); return 1',
        tools: {
          quick: () => 1,
          slow: (_input: number, { signal }) =>
            new Promise((resolve) => {
              signal.addEventListener('abort', () => {
                aborted++;
                resolve(0);
              });
            }),
        },
      });
      expect(outcome).toMatchObject({ ok: true, value: 1 });
      expect(aborted).toBe(10);
      return [outcome];
    },
  },
  {
    kind: 66,
    name: 'no call is made after the end, however it is put off',
    script: async ({ executor }) => {
      let after = false;
      let late = 0;
      const outcome = await executor.run({
        code: `
          setInterval(() => tool(), 0);
          (async () => { for (;;) await tool(); })();
          tool().then(() => { for (;;) tool(); });
          await new Promise((resolve) => setTimeout(resolve, 10));
          return 1`,
        tools: {
          tool: () => {
            if (after) late++;
            return 1;
          },
        },
        limits: { toolCalls: 100_000 },
      });
      after = true;
      // What the guest's slot still had to say came before what it says of the next one.
      expect(await executor.run({ code: 'return 2' })).toMatchObject({ ok: true, value: 2 });
      expect(outcome.ok ? outcome.value : outcome.error.code).toBeOneOf([1, 'TOOL_CALL_LIMIT']);
      expect(late).toBe(0);
      return [outcome];
    },
  },
  {
    kind: 67,
    name: 'arguments are those of the moment of the call, whatever is done to them later',
    code: 'const order = { amount: 1 }; const paid = pay(order); order.amount = 1000000; return await paid',
    tools: { pay: (order: { amount: number }) => delay(10, order.amount) },
    expected: { value: 1 },
    check: (_outcome, calls) => {
      expect(calls).toEqual([{ tool: 'pay', input: { amount: 1 } }]);
    },
  },
  {
    kind: 67,
    name: 'a call that waits for its turn keeps the arguments that it was made with',
    code: `
      const order = { amount: 1 };
      const all = [];
      for (let n = 0; n < 50; n++) { order.amount = n; all.push(pay(order)); }
      order.amount = -1;
      return await Promise.all(all)`,
    tools: { pay: (order: { amount: number }) => delay(2, order.amount) },
    limits: { toolCallsInFlight: 2 },
    expected: { value: Array.from({ length: 50 }, (_, n) => n) },
  },
  {
    kind: 67,
    name: 'arguments from getters that change are read once for all',
    code: 'let reads = 0; return await pay({ get amount() { return ++reads === 1 ? 1 : 1000000; } })',
    tools: { pay: (order: { amount: number }) => [order.amount, order.amount] },
    expected: { value: [1, 1] },
  },
]);
