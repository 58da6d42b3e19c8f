import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

/** Characters of one to four bytes, those that JSON writes as six, and halves of pairs. */
const CHARACTERS = ['a', '\u0001', '"', '\\', '\u00e9', '\u4e2d', '\u{1f4a9}', '\ud800', '\udc00'];

const text = fc
  .tuple(fc.array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 5 }), fc.nat(9000))
  .map(([characters, times]) => characters.join('').repeat(times / characters.length));

const bytes = fc.constantFrom(0, 1, 100, 4096, 65_536, 4 * 2 ** 20);

const run = fc.record({
  text,
  what: fc.constantFrom('result', 'log', 'error', 'causes', 'argument', 'tool error', 'code'),
  limits: fc.record({
    resultBytes: bytes,
    logBytes: bytes,
    toolArgBytes: bytes,
    toolResultBytes: bytes,
  }),
});

const PROGRAMS = {
  result: 'return text',
  log: 'for (let n = 0; n < 5; n++) console.log(text, [text], { text }); return 1',
  error:
    'const error = new Error(text); error.name = text; error.stack = text; error.code = text; throw error',
  causes: `
    let error;
    for (let n = 0; n < 8; n++) {
      error = new Error(text, { cause: error });
      error.stack = text;
    }
    throw error`,
  argument: 'return take([text, { [text]: text }])',
  'tool error': 'return refuse(1)',
  code: 'const it = 1; /* ${text} */ return it + `${text}`',
} as const;

describeEachPool('one unit everywhere', (executor) => {
  test('whatever the limits and the text, nothing that a guest says breaks the protocol', async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ text: given, what, limits }) => {
        const outcome = await executor().run({
          code: PROGRAMS[what],
          variables: { text: given },
          tools: {
            take: (value: unknown) => value,
            refuse: () => {
              throw Object.assign(new Error(given), { code: given, details: given });
            },
          },
          limits,
        });
        expect(outcome.ok ? '' : outcome.error.code).not.toBe('PROTOCOL_ERROR');
        expect(outcome.ok ? '' : outcome.error.code).not.toBe('HOST_LOST');
      }),
      { numRuns: 150 },
    );
  });

  test('a line of many bytes is cut at the limit, and the run goes on', async () => {
    const code = "console.log(...Array(200).fill('\\u4e2d'.repeat(16000))); return 1";
    const logBytes = 4 << 20;
    const outcome = await executor().run({ code, limits: { logBytes } });
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.usage.logBytes).toBeGreaterThan(logBytes - 100);
    expect(outcome.usage.logBytes).toBeLessThanOrEqual(logBytes + 1024);
    expect(outcome.logs.map(({ text: line }) => line.slice(-10))).toEqual([
      '\u4e2d'.repeat(9) + '\u2026',
      's dropped]',
    ]);
  });

  test('errors whose text is six times as long in JSON are those of the guest, cut', async () => {
    const code = `
      let error;
      for (let n = 0; n < 6; n++) {
        error = new Error('\\u0001'.repeat(16384), { cause: error });
        error.stack = '\\u0001'.repeat(16384);
      }
      throw error`;
    const limits = { resultBytes: 4096, toolArgBytes: 4096, logBytes: 4096 };
    const error = errorOf(await executor().run({ code, limits }));
    expect(error.code).toBe('GUEST_ERROR');
    expect(error.message).toBe('\u0001'.repeat(16384));
    expect(error.cause).toMatchObject({ name: 'Error' });
  });

  test('a result is measured in bytes', async () => {
    const outcome = await executor().run({ code: "return '\\u4e2d'.repeat(1_000_000)" });
    expect(outcome.usage.resultBytes).toBe(3_000_000 + 'safe:""'.length);
  });

  test('a source that is six times as long in JSON runs', async () => {
    const code = `return '${'\u0001'.repeat(200_000)}'.length`;
    expect(valueOf(await executor().run({ code }))).toBe(200_000);
  });
});
