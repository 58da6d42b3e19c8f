import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const cpu = { cpuMs: 100 } as const;

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
      // It has an answer only when nobody waits for it any more.
      slow: (_input: unknown, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', resolve);
        }),
    },
    limits: { wallMs: 300, cpuMs: 100 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 35,
    name: 'many short runs have a budget each, and none pays for another',
    script: async ({ executor }) => {
      const code = 'for (let n = 0; n < 1e8; n++); return 1';
      let longest = 0;
      for (let count = 0; count < 3; count++) {
        const { usage } = await executor.run({ code });
        longest = Math.max(longest, usage.cpuMs);
      }
      // Enough for a few of them; so many come that together they use more.
      const limits = { cpuMs: Math.ceil(6 * longest) };
      const outcomes = [];
      for (let used = 0; used <= limits.cpuMs;) {
        const outcome = await executor.run({ code, limits });
        expect(outcome).toMatchObject({ ok: true, value: 1 });
        used += outcome.usage.cpuMs;
        outcomes.push(outcome);
      }
      return outcomes;
    },
  },
]);
