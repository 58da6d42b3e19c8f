import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const cpu = { wallMs: 3000, cpuMs: 100 } as const;

attacks('cheating on processor time', {}, [
  ...(
    [
      ['in one loop', 'for (;;);'],
      ['in pieces between tool calls', 'for (;;) { await tool(); for (let n = 0; n < 3e5; n++); }'],
      [
        'in pieces between timers',
        'for (;;) { await new Promise((r) => setTimeout(r, 1)); for (let n = 0; n < 2e6; n++); }',
      ],
      ['in microtasks', 'for (;;) await null'],
      ['in a regular expression', '/^(a+)+$/.test("a".repeat(40) + "b")'],
    ] as const
  ).map(([name, code]) => ({
    kind: 35 as const,
    name: `work ${name} is counted`,
    code,
    tools: { tool: (): number => 1 },
    limits: { ...cpu, toolCalls: 100_000 },
    expected: { error: 'CPU_LIMIT', limit: 100, ran: 'yes' } as const,
  })),
  {
    kind: 35,
    name: 'sleeping costs none',
    code: 'await new Promise((resolve) => setTimeout(resolve, 250)); return "slept"',
    limits: cpu,
    expected: { value: 'slept' },
    check: (outcome) => {
      expect(outcome.usage.wallMs).toBeGreaterThan(240);
      expect(outcome.usage.cpuMs).toBeLessThan(100);
    },
  },
  {
    kind: 35,
    name: 'waiting for a slow tool costs none, but takes wall time',
    code: 'await slow(); return 1',
    tools: {
      slow: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 2000);
        }),
    },
    limits: { wallMs: 300, cpuMs: 100 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 35,
    name: 'many short runs have a budget each, and none pays for another',
    wallMs: 3000,
    script: async ({ executor }) => {
      const outcomes = [];
      for (let count = 0; count < 8; count++) {
        outcomes.push(
          await executor.run({ code: 'for (let n = 0; n < 1e7; n++); return 1', limits: cpu }),
        );
      }
      for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: true, value: 1 });
      return outcomes;
    },
  },
]);
