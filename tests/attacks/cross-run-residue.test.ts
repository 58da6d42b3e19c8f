import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const LEAVE = `
  globalThis.leaked = 'secret of the first';
  for (const holder of [Object, Array, Function, String, Promise, Map]) holder.prototype.leaked = 'secret of the first';
  Array.prototype.push = () => 'stolen';
  JSON.stringify = () => 'stolen';
  Symbol.for('leaked').description;
  new FinalizationRegistry(() => {}).register({}, 1);
  setInterval(() => { globalThis.leaked += '.'; }, 1);
  tool('secret of the first').catch(() => {});
  Promise.reject(new Error('secret of the first'));
  (async () => { for (let n = 0; n < 1e4; n++) await 0; tool('late'); })();
  return 1`;
const LOOK = `
  await new Promise((resolve) => setTimeout(resolve, 5));
  return [typeof leaked, typeof {}.leaked, [].push(1), JSON.stringify(1), Object.keys(globalThis), Object.keys(tools)]`;

attacks('residue of other runs', {}, [
  {
    kind: 63,
    name: 'nothing of a run is found by the runs after it',
    script: async ({ executor }) => {
      const outcomes = [];
      const seen: unknown[] = [];
      for (let count = 0; count < 8; count++) {
        const tools = {
          tool: (input: unknown): number => {
            seen.push(input);
            return 1;
          },
        };
        await executor.run({ code: LEAVE, tools });
        const look = await executor.run({ code: LOOK });
        expect(look).toMatchObject({ ok: true, value: ['undefined', 'undefined', 1, '1', [], []] });
        expect(look.logs).toEqual([]);
        outcomes.push(look);
      }
      expect(new Set(seen).difference(new Set(['secret of the first', 'late'])).size).toBe(0);
      return outcomes;
    },
  },
  {
    kind: 63,
    name: 'tools of one run cannot be called by another',
    script: async ({ executor }) => {
      const called: string[] = [];
      const make = (tenant: string) => ({
        who: (input: unknown): string => {
          called.push(`${tenant}:${String(input)}`);
          return tenant;
        },
      });
      const code = `
        const mine = await who(n);
        await new Promise((resolve) => setTimeout(resolve, 3));
        return [mine, await who(n)]`;
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, n) =>
          executor.run({ code, variables: { n }, tools: make(`tenant-${n}`) }),
        ),
      );
      for (const [n, outcome] of outcomes.entries()) {
        expect(outcome).toMatchObject({ ok: true, value: [`tenant-${n}`, `tenant-${n}`] });
      }
      expect(called.every((call) => /^tenant-(\d+):\1$/.test(call))).toBe(true);
      return outcomes;
    },
  },
  {
    kind: 63,
    name: 'a session is not found by other sessions, nor by guessing',
    script: async ({ executor }) => {
      const one = await executor.openSession();
      const two = await executor.openSession();
      try {
        await one.run({ code: "globalThis.leaked = 'secret'; return 1" });
        const others = [
          await two.run({ code: 'return typeof leaked' }),
          await executor.run({ code: 'return typeof leaked' }),
        ];
        for (const outcome of others)
          expect(outcome).toMatchObject({ ok: true, value: 'undefined' });
        return others;
      } finally {
        await Promise.all([one.close(), two.close()]);
      }
    },
  },
  {
    kind: [55, 63],
    name: 'memory of an earlier run is not charged to a later one',
    notInThreads: 'Threads share the memory of the process, and nothing watches it.',
    script: async ({ executor }) => {
      const outcomes = [];
      for (let count = 0; count < 4; count++) {
        const large = await executor.run({
          code: `const a = []; for (let n = 0; n < 300; n++) a.push(new Array(1e5).fill(n + ${count}.5)); return a.length`,
          limits: { memoryMb: 512 },
        });
        const small = await executor.run({
          code: 'return 1',
          limits: { memoryMb: 16 },
        });
        expect(large).toMatchObject({ ok: true, value: 300 });
        expect(small).toMatchObject({ ok: true, value: 1 });
        outcomes.push(small);
      }
      return outcomes;
    },
  },
]);
