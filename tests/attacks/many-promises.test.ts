import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

attacks('masses of promises and timers', { limits: { memoryMb: 256 } }, [
  {
    kind: 57,
    name: 'a hundred thousand timers that are due at once',
    code: 'let n = 0; await new Promise((r) => { for (let i = 0; i < 2000; i++) setTimeout(() => { if (++n === 2000) r(); }, 1); }); return n',
    expected: { value: 2000 },
  },
  {
    kind: 57,
    name: 'a timer that is set and cleared without an end',
    code: 'for (;;) clearTimeout(setTimeout(() => 1, 1))',
    limits: { wallMs: 300 },
    expected: { endsIn: ['WALL_LIMIT', 'GUEST_ERROR'] },
  },
  {
    kind: 57,
    name: 'ever earlier timers ask for a bounded number of wake-ups',
    code: 'let n = 0; try { for (;;) { setTimeout(() => 1, 1e9 - n * 10); n++; } } catch (error) { return [error.name, n < 100000]; }',
    expected: { value: ['RangeError', true] },
  },
  {
    kind: 57,
    name: 'two hundred thousand promises of tools that are not awaited',
    code: 'for (let n = 0; n < 200000; n++) tool(n).catch(() => {}); return 1',
    tools: { tool: (): number => 1 },
    expected: { error: 'TOOL_CALL_LIMIT', limit: 256 },
    check: (_outcome, calls) => {
      expect(calls.length).toBeLessThanOrEqual(256);
    },
  },
  {
    kind: 57,
    name: 'a hundred thousand promises that wait for each other',
    code: 'let p = Promise.resolve(1); for (let n = 0; n < 100000; n++) p = p.then((x) => x); return p',
    expected: { value: 1 },
  },
  {
    kind: 57,
    name: 'tools that never answer are told to stop, and hold nothing back',
    script: async ({ executor }) => {
      let told = 0;
      const outcome = await executor.run({
        code: 'for (let n = 0; n < 30; n++) never(n).catch(() => {}); await never(99)',
        tools: {
          never: (_input: number, { signal }) => {
            signal.addEventListener('abort', () => told++);
            return new Promise(() => undefined);
          },
        },
        limits: { wallMs: 300 },
      });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'WALL_LIMIT' } });
      expect(told).toBe(31);
      return [outcome];
    },
  },
  {
    kind: 57,
    name: 'a hundred small runs, each with its own isolate',
    script: async ({ executor }) => {
      const runs = Array.from({ length: 100 }, (_, n) =>
        executor.run({ code: 'return n', variables: { n } }),
      );
      const outcomes = await Promise.all(runs);
      expect(outcomes.map((outcome) => outcome.ok && outcome.value)).toEqual(
        Array.from({ length: 100 }, (_, n) => n),
      );
      return outcomes;
    },
  },
]);
