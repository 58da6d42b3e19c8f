import { Executor } from '@glovebox/core';

import { valueOf } from '../support/pools.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const UNSURE =
  'The heap limit does not bound it in time, so it could take the whole process with it.';
const call = (): Promise<number> => Promise.resolve(1);

attacks('reports against isolated-vm', {}, [
  {
    kind: 'ivm-518',
    name: 'a promise that never settles ends at the limit',
    code: 'await new Promise(() => {})',
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 'ivm-185',
    name: 'a loop behind an awaited call ends at the limit',
    code: 'await call().then(() => { while (true) {} })',
    tools: { call },
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 'ivm-527',
    name: 'an array of a hundred million, filled from bytes',
    code: 'const bytes = new Uint8Array(1e6); const a = new Array(1e8); for (let n = 0; n < 1e8; n++) a[n] = { b: bytes[n % 1e6] }',
    limits: { memoryMb: 128 },
    notInThreads: UNSURE,
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 'ivm-457',
    name: 'a million keys under the smallest limit',
    code: 'const o = {}; for (let n = 0; n < 1e6; n++) o["key" + n] = n; return Object.keys(o).length',
    limits: { memoryMb: 8 },
    notInThreads: UNSURE,
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 'ivm-107',
    name: 'spreading five hundred million characters',
    code: "return [...'.'.repeat(5e8)].length",
    limits: { memoryMb: 64 },
    notInThreads: UNSURE,
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 'ivm-107',
    name: 'spreading a thousand million',
    code: "return [...'.'.repeat(1e9)].length",
    expected: { error: 'GUEST_ERROR', name: 'RangeError', message: 'Invalid string length' },
  },
  {
    kind: 'ivm-460',
    name: 'memory in bytes is refused, with the unit in the message',
    script: async ({ executor, pool }) => {
      const limits = { memoryMb: 128 * 2 ** 20 };
      expect(() => new Executor({ pool, limits })).toThrow(/MiB/);
      await expect(executor.run({ code: 'return 1', limits })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
        path: 'limits.memoryMb',
      });
      return [];
    },
  },
  {
    kind: 'ivm-296',
    name: 'a deep payload of more than a megabyte is refused before it is sent',
    script: async ({ executor }) => {
      let deep: unknown = 'x'.repeat(2 ** 20);
      for (let n = 0; n < 5000; n++) deep = [deep];
      await expect(executor.run({ code: 'return 1', variables: { deep } })).rejects.toMatchObject({
        code: 'UNSERIALIZABLE_VARIABLES',
        path: expect.stringContaining('deep'),
      });
      return [];
    },
  },
  {
    kind: 'ivm-293',
    name: 'a hundred megabytes of text never reach a small isolate',
    script: async ({ executor }) => {
      const outcome = await executor.run({
        code: 'return text.length',
        variables: { text: 'a'.repeat(1e8) },
        limits: { memoryMb: 16 },
      });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'VARIABLES_LIMIT', ran: 'no' } });
      return [outcome];
    },
  },
  {
    kind: 'ivm-293',
    name: 'as much as is allowed, into an isolate that cannot hold it',
    notInThreads: UNSURE,
    script: async ({ executor }) => {
      const outcome = await executor.run({
        code: 'return text.map((t) => t.length)',
        variables: { text: Array.from({ length: 15 }, (_, n) => String(n % 10).repeat(1e6)) },
        limits: { memoryMb: 8 },
      });
      expect(outcome.ok ? 'value' : outcome.error.code).toBeOneOf(['value', 'MEMORY_LIMIT']);
      return [outcome];
    },
  },
  {
    kind: 'ivm-233',
    name: 'out of memory is told apart from everything else, and says how much was allowed',
    script: async ({ executor }) => {
      const outcome = await executor.run({
        code: 'const a = []; for (;;) a.push({ a: [1, 2, 3] })',
        limits: { memoryMb: 32 },
      });
      expect(outcome).toMatchObject({
        ok: false,
        error: { code: 'MEMORY_LIMIT', limit: 32 * 2 ** 20, ran: 'yes' },
      });
      expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
      return [];
    },
  },
  {
    kind: 'ivm-301',
    name: 'forty limits of ten milliseconds, one after the other',
    wallMs: 10,
    script: async ({ executor }) => {
      const outcomes = [];
      for (let count = 0; count < 40; count++) {
        // Each is another source: a machine that is too busy to stop them in time kills their hosts,
        // and code that kills again and again is kept out.
        const code = `for (;;); // ${count}`;
        outcomes.push(await executor.run({ code, limits: { wallMs: 10 } }));
      }
      expect(
        new Set(outcomes.map((outcome) => (outcome.ok ? 'value' : outcome.error.code))),
      ).toEqual(new Set(['WALL_LIMIT']));
      return outcomes;
    },
  },
  {
    kind: 'ivm-299',
    name: 'a hundred detached rejections beside good runs: the caller never stands still',
    script: async ({ executor }) => {
      const runs = Array.from({ length: 100 }, (_, n) =>
        executor.run({
          code: 'Promise.reject(new Error("x")); (async () => { await 0; throw new Error("y"); })(); await 0; return n',
          variables: { n },
        }),
      );
      const outcomes = await Promise.all(runs);
      expect(outcomes.map(valueOf)).toEqual(Array.from({ length: 100 }, (_, n) => n));
      return outcomes;
    },
  },
  {
    kind: 'ivm-302',
    name: 'an end while a call is pending locks nothing',
    code: 'await Promise.race([never(), new Promise((r) => setTimeout(r, 30))]); return 1',
    tools: { never: () => new Promise(() => undefined) },
    expected: { value: 1 },
  },
  {
    kind: 'ivm-333',
    name: 'a limit while the guest waits for the host',
    code: 'await never()',
    tools: { never: () => new Promise(() => undefined) },
    limits: { wallMs: 200 },
    expected: { error: 'WALL_LIMIT', limit: 200 },
  },
  {
    kind: 'ivm-198',
    name: 'an isolate that is full of garbage when it is disposed',
    code: 'const a = []; for (let n = 0; ; n++) { a.push({ n, t: "t" + n }); if (n % 100000 === 0) a.length = 0; }',
    limits: { wallMs: 400, memoryMb: 128 },
    expected: { error: 'WALL_LIMIT', limit: 400 },
  },
  {
    kind: 'ivm-273',
    name: 'a detached rejection does not fail the next run',
    script: async ({ executor }) => {
      const outcomes = [];
      for (let count = 0; count < 10; count++) {
        await executor.run({
          code: '(async () => { await 0; throw new Error("detached") })(); return 1',
        });
        outcomes.push(await executor.run({ code: 'return 2' }));
      }
      expect(outcomes.map(valueOf)).toEqual(Array(10).fill(2));
      expect(outcomes.flatMap(({ logs }) => logs)).toEqual([]);
      return outcomes;
    },
  },
  {
    kind: 'ivm-273',
    name: 'in a session it does not fail the next run either',
    script: async ({ executor }) => {
      await using session = await executor.openSession();
      const first = await session.run({
        code: '(async () => { await 0; throw new Error("detached") })(); return 1',
      });
      const second = await session.run({ code: 'return 2' });
      expect([valueOf(first), valueOf(second)]).toEqual([1, 2]);
      return [first, second];
    },
  },
  {
    kind: 'ivm-207',
    name: 'five hundred isolates leave no memory behind',
    script: async ({ executor }) => {
      const run = async (count: number): Promise<void> => {
        for (let done = 0; done < count; done += 10) {
          await Promise.all(
            Array.from({ length: 10 }, () =>
              executor.run({ code: 'return await call()', tools: { call } }),
            ),
          );
        }
      };
      await run(100);
      const before = process.memoryUsage.rss();
      await run(400);
      expect((process.memoryUsage.rss() - before) / 2 ** 20).toBeLessThan(100);
      return [];
    },
  },
  {
    kind: 'ivm-122',
    name: 'class, name, code, cause and place of an error come through',
    code: '\nclass PaymentError extends TypeError { name = "PaymentError"; code = "E_PAY" }\nthrow new PaymentError("no", { cause: new URIError("bad") })',
    expected: {
      error: 'GUEST_ERROR',
      name: 'PaymentError',
      message: 'no',
      guestCode: 'E_PAY',
      line: 3,
      column: 7,
      cause: expect.objectContaining({ name: 'URIError', message: 'bad' }),
    },
  },
  {
    kind: 'ivm-257',
    name: 'asynchronous host functions just work, side by side',
    code: 'return await Promise.all([call(), call(), call()])',
    tools: { call },
    expected: { value: [1, 1, 1] },
  },
  {
    kind: 'ivm-543',
    name: 'a result is a value',
    code: 'return { a: [1, { b: new Map([[1, 2]]) }] }',
    expected: { value: { a: [1, { b: new Map([[1, 2]]) }] } },
  },
  {
    kind: 'ivm-401',
    name: 'there are timers',
    code: 'await new Promise((resolve) => setTimeout(resolve, 5)); return typeof setInterval',
    expected: { value: 'function' },
  },
  {
    kind: 'ivm-268',
    name: 'a run waits for what it awaits',
    code: 'const out = []; const later = (async () => { await call(); out.push(2); })(); out.push(1); await later; return out',
    tools: { call },
    expected: { value: [1, 2] },
  },
  {
    kind: 'ivm-352',
    name: 'the snapshot that isolates start from is of our own making, and can be left out',
    code: 'return typeof createSnapshot + typeof globalThis.snapshot',
    expected: { value: 'undefinedundefined' },
  },
  {
    kind: 'ivm-377',
    name: 'isolates start with the flags that hosts are given',
    code: 'return [1].concat(2)',
    expected: { value: [1, 2] },
  },
  {
    kind: 'ivm-559',
    name: 'imports that are asked for twice are refused twice',
    code: 'const one = () => import("a").catch((error) => error.message); return [await one(), await one(), ...(await Promise.all([one(), one()]))]',
    expected: { value: Array(4).fill('Not supported') },
  },
  {
    kind: 'ivm-344',
    name: 'there is no inspector',
    code: 'debugger; return [typeof inspector, typeof console.profile]',
    expected: { value: ['undefined', 'undefined'] },
  },
  {
    kind: 'ivm-562',
    name: 'cached code cannot be given by anybody',
    script: async ({ executor }) => {
      const options = { code: 'return 1', cachedData: Buffer.alloc(10) };
      await expect(executor.run(options as { code: string })).rejects.toMatchObject({
        code: 'INVALID_OPTIONS',
      });
      return [];
    },
  },
]);
