import { childrenOf, isAlive, until } from '../support/processes.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const ONE_PROCESS = 'There is no host apart from the process of the caller.';

attacks('hosts that die or do not want to', {}, [
  {
    kind: 59,
    name: 'a host that V8 has lost control of is gone soon after its run',
    notInThreads: ONE_PROCESS,
    wallMs: 300,
    script: async ({ executor }) => {
      const before = childrenOf(process.pid);
      const outcome = await executor.run({
        code: 'Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)',
        limits: { wallMs: 300 },
      });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'WALL_LIMIT' } });
      const gone = (): number[] => before.filter((pid) => !isAlive(pid));
      await until(() => gone().length > 0);
      expect(gone()).toHaveLength(1);
      return [outcome];
    },
  },
  {
    kind: 59,
    name: 'after a kill the next run finds a host that stands ready',
    notInThreads: ONE_PROCESS,
    wallMs: 300,
    script: async ({ executor }) => {
      const killed = await executor.run({
        code: 'Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)',
        limits: { wallMs: 300 },
      });
      const killedAt = performance.now();
      const next = await executor.run({ code: 'return 1' });
      expect(next).toMatchObject({ ok: true, value: 1 });
      // The one that takes the spare host's place was started at the kill.
      await until(() => executor.stats().spareHosts >= 1);
      expect(next.usage.queueMs).toBeLessThan((performance.now() - killedAt) / 2);
      return [killed];
    },
  },
  {
    kind: 59,
    name: 'ten killers one after the other, a good run between each',
    notInThreads: ONE_PROCESS,
    script: async ({ executor }) => {
      for (let count = 0; count < 10; count++) {
        // Each is another source: code that kills again and again would be kept out.
        const bad = await executor.run({
          code: `const m = new Map(); for (let i = ${count}; ; i++) m.set(i, new Array(100))`,
          limits: { memoryMb: 32 },
        });
        const good = await executor.run({ code: 'return n', variables: { n: count } });
        expect(bad).toMatchObject({ ok: false, error: { code: 'MEMORY_LIMIT' } });
        expect(good).toMatchObject({ ok: true, value: count });
      }
      return [];
    },
  },
  {
    kind: 59,
    name: 'guests have nothing to end a process with',
    code: `
      return ['process', 'quit', 'exit', 'close', 'abort', 'gc', 'Deno', 'kill']
        .filter((name) => name in globalThis)`,
    expected: { value: [] },
  },
]);
