import { Executor } from '@glovebox/core';
import { expect, test } from 'vitest';

const BOMBS = [
  'const m = new Map(); for (let i = 0; ; i++) m.set(i, i);',
  'const a = []; for (;;) a.push(new Array(1000).fill(1));',
  'let a = [1]; for (;;) a = a.concat(a);',
  'const s = new Set(); for (let i = 0; ; i++) s.add("k" + i);',
  'const o = {}; for (let i = 0; ; i++) o["k" + i] = i;',
];

const isBomb = (n: number): boolean => n % 5 === 4;

test('1 000 runs with 20 % memory bombs: the innocent succeed, the bombs are told, memory is flat', async () => {
  await using executor = new Executor({
    hosts: 2,
    quarantine: false,
    limits: { memoryMb: 16, wallMs: 20_000 },
  });
  await executor.ready();
  // Where it begins: after V8 has sized its heap for the work.
  const warmUp = Array.from({ length: 500 }, (_, n) =>
    executor.run({ code: 'return n', variables: { n } }),
  );
  await Promise.all(warmUp);
  const residentBefore = process.memoryUsage.rss();
  const answers: unknown[] = [];
  const run = async (n: number): Promise<void> => {
    const code = isBomb(n) ? (BOMBS[Math.floor(n / 5) % BOMBS.length] ?? '') : 'return n + 1';
    const outcome = await executor.run({ code, variables: { n } });
    answers[n] = outcome.ok ? outcome.value : outcome.error.code;
  };
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < 1000) {
      const n = next++;
      await run(n);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  const expected = Array.from({ length: 1000 }, (_, n) => (isBomb(n) ? 'MEMORY_LIMIT' : n + 1));
  expect(answers).toEqual(expected);
  expect(process.memoryUsage.rss()).toBeLessThan(residentBefore * 1.2);
}, 240_000);
