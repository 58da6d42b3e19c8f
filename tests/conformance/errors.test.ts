import { expect, test } from 'vitest';

import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('errors', (executor) => {
  test('a thrown error keeps name, message, code and cause', async () => {
    const code = `
      class PaymentError extends Error { name = 'PaymentError'; code = 'E_FUNDS'; }
      throw new PaymentError('not enough', { cause: new RangeError('balance', { cause: 'low' }) });
    `;
    expect(errorOf(await executor().run({ code }))).toMatchObject({
      code: 'GUEST_ERROR',
      name: 'PaymentError',
      message: 'not enough',
      guestCode: 'E_FUNDS',
      cause: { name: 'RangeError', message: 'balance', cause: { message: 'low' } },
      ran: 'yes',
      retryable: false,
    });
  });

  test.each([
    ['on the first line', 'null.x', 1, 6],
    ['further down', 'const a = 1;\n\n  null.x', 3, 8],
    ['in a function', 'function f() {\n  throw new Error("x");\n}\nf()', 2, 9],
    ['after an await', 'await null;\nawait 0;\nnull.x', 3, 6],
    ['in TypeScript', 'type A = number;\nconst a: A = 1;\n  (null as any).x', 3, 17],
  ])('an error %s has the place in the source as given', async (_where, code, line, column) => {
    const error = errorOf(await executor().run({ code, filename: 'order.ts' }));
    expect(error).toMatchObject({ code: 'GUEST_ERROR', line, column });
    expect(error.stack).toContain(`order.ts:${line}:${column}`);
  });

  test('a stack shows neither the host nor the guest runtime', async () => {
    const code = 'function inner() { throw new Error("x") } inner()';
    const { stack = '' } = errorOf(await executor().run({ code }));
    expect(stack).toBe('Error: x\n    at inner (guest.js:1:26)\n    at guest.js:1:43');
  });

  test.each([
    ['a text', 'throw "plain"', 'plain'],
    ['a number', 'throw 42', '42'],
    ['null', 'throw null', 'null'],
    ['nothing', 'throw undefined', 'undefined'],
    ['an object', 'throw { reason: "why" }', '{ reason: "why" }'],
  ])('%s can be thrown', async (_what, code, message) => {
    const error = errorOf(await executor().run({ code }));
    expect(error).toMatchObject({ code: 'GUEST_ERROR', name: 'Error', message });
  });

  test.each([
    ['JavaScript', 'const a = 1;\nconst b = ;', 2, 11],
    ['the first line', 'let 1x', 1, 5],
    ['TypeScript', 'const a: number = 1;\nconst b: string = ;', 2, 19],
    ['TypeScript that cannot be stripped', 'const a: number = 1;\nenum A { x }', 2, 1],
  ])('a syntax error in %s has its place', async (_what, code, line, column) => {
    const error = errorOf(await executor().run({ code }));
    expect(error).toMatchObject({
      code: 'SYNTAX_ERROR',
      name: 'SyntaxError',
      line,
      column,
      ran: 'no',
    });
  });

  test.each([
    ['closes its function', 'return 1 })(); globalThis.escaped = 1; (async () => { return 2'],
    ['closes a block of ours', '} finally { }'],
    ['leaves a comment open', 'return 1 /*'],
    ['leaves a template open', 'return `'],
    ['imports', 'import fs from "fs"; return 1'],
  ])('code that %s does not compile', async (_what, code) => {
    expect(errorOf(await executor().run({ code })).code).toBe('SYNTAX_ERROR');
  });

  test('a language given is the only one tried', async () => {
    const code = 'const a: number = 1; return a';
    const javascript = await executor().run({ code, language: 'javascript' });
    expect(errorOf(javascript).code).toBe('SYNTAX_ERROR');
    expect(valueOf(await executor().run({ code, language: 'typescript' }))).toBe(1);
    expect(valueOf(await executor().run({ code }))).toBe(1);
  });

  test('a rejection that nobody hears is logged, and the run goes well', async () => {
    const code = 'Promise.reject(new Error("background")); return 1';
    const outcome = await executor().run({ code });
    expect(valueOf(outcome)).toBe(1);
    expect(outcome.logs).toMatchObject([
      { level: 'error', text: 'Unhandled rejection: background' },
    ]);
  });
});
