import { expect, test } from 'vitest';
import { z } from 'zod';

import { Gathering } from '../support/gathering.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('tools', (executor) => {
  test('a tool is called by its name and through tools', async () => {
    const outcome = await executor().run({
      code: 'return [await double(21), await tools.double(4)]',
      tools: { double: (n: number) => n * 2 },
    });
    expect(valueOf(outcome)).toEqual([42, 8]);
    expect(outcome.usage.toolCalls).toBe(2);
  });

  test('values pass exactly in both directions', async () => {
    const seen: unknown[] = [];
    const when = new Date(1234);
    const outcome = await executor().run({
      code: `
        const back = await echo({ when, bytes: new Uint8Array([1]), map: new Map([[1, 2n]]) });
        return [back, back.when instanceof Date]`,
      variables: { when },
      tools: {
        echo: (input: unknown) => {
          seen.push(input);
          return input;
        },
      },
    });
    const value = { when, bytes: new Uint8Array([1]), map: new Map([[1, 2n]]) };
    expect(seen).toStrictEqual([value]);
    expect(valueOf(outcome)).toStrictEqual([value, true]);
  });

  test('three tools run at the same time: none waits for another', async () => {
    const gathering = new Gathering(3);
    const run = executor().run({
      code: 'return Promise.all([1, 2, 3].map((n) => slow(n)))',
      tools: {
        slow: async (n: number) => {
          await gathering.call();
          return n * 10;
        },
      },
    });
    await gathering.full;
    gathering.open();
    expect(valueOf(await run)).toEqual([10, 20, 30]);
  });

  test('calls beyond those allowed in flight wait their turn', async () => {
    const gathering = new Gathering(4);
    // It comes behind all that the guest sends at once.
    const allMade = Promise.withResolvers<void>();
    const run = executor().run({
      code: `
        const all = Array.from({ length: 20 }, (_, n) => work(n));
        console.log('all made');
        return Promise.all(all)`,
      tools: {
        work: async (n: number) => {
          await gathering.call();
          return n;
        },
      },
      limits: { toolCallsInFlight: 4 },
      onLog: () => allMade.resolve(),
    });
    await Promise.all([gathering.full, allMade.promise]);
    gathering.open();
    expect(valueOf(await run)).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(gathering.most).toBe(4);
  });

  test("a tool's error keeps name, message, code and details, and shows no host", async () => {
    const outcome = await executor().run({
      code: `try { await pay() } catch (error) {
        return { ...Object.fromEntries(['name', 'message', 'code', 'details'].map((key) => [key, error[key]])), stack: error.stack, isError: error instanceof Error }
      }`,
      tools: {
        pay: () => {
          const error = new RangeError('too much');
          throw Object.assign(error, { code: 'E_RANGE', details: { most: new Date(7) } });
        },
      },
    });
    const { stack, ...rest } = valueOf(outcome) as { stack: string };
    expect(rest).toStrictEqual({
      name: 'RangeError',
      message: 'too much',
      code: 'E_RANGE',
      details: { most: new Date(7) },
      isError: true,
    });
    expect(stack).not.toMatch(/node:|file:|\/|\.test\.ts/);
  });

  test.each([
    ['a call', 'const a = 1;\n  await pay()', 2, 9],
    ['a call in a function', 'async function f() {\n  return pay() }\nawait f()', 2, 10],
    ['one of several calls', 'await Promise.all([\n  0, pay(),\n])', 2, 6],
  ])("a tool's error tells the place of %s", async (_what, code, line, column) => {
    const outcome = await executor().run({
      code,
      tools: {
        pay: () => {
          throw new RangeError('too much');
        },
      },
    });
    const { stack, ...error } = errorOf(outcome);
    expect(error).toMatchObject({ name: 'RangeError', message: 'too much', line, column });
    expect(stack).toMatch(/^RangeError: too much\n    at /);
    expect(stack).not.toContain('glovebox:');
  });

  test('a tool that throws what is no error is told as well', async () => {
    const outcome = await executor().run({
      code: 'try { await odd() } catch (error) { return [error.name, error.message] }',
      tools: {
        odd: () => {
          throw 'a text';
        },
      },
    });
    expect(valueOf(outcome)).toEqual(['Error', 'a text']);
  });

  test('arguments are checked against a schema before the tool sees them', async () => {
    const seen: unknown[] = [];
    const outcome = await executor().run({
      code: `
        const wrong = await page({ id: 'seven' }).catch((error) => [error.name, error.code, error.message]);
        return [await page({ id: 7 }), wrong]`,
      tools: {
        page: {
          description: 'A page by its number.',
          inputSchema: z.object({ id: z.number(), size: z.number().default(10) }),
          execute: (input: { id: number; size: number }) => {
            seen.push(input);
            return input.size;
          },
        },
      },
    });
    const [size, wrong] = valueOf(outcome) as [number, string[]];
    expect(size).toBe(10);
    expect(wrong.slice(0, 2)).toEqual(['ToolInputError', 'INVALID_ARGUMENTS']);
    expect(wrong[2]).toContain('id:');
    expect(seen).toEqual([{ id: 7, size: 10 }]);
  });

  test('a result that cannot cross is an error in the guest', async () => {
    const outcome = await executor().run({
      code: 'return make().catch((error) => [error.code, error.message])',
      tools: { make: () => ({ rows: [() => 1] }) },
    });
    const [code, message] = valueOf(outcome) as string[];
    expect(code).toBe('UNSERIALIZABLE_RESULT');
    expect(message).toContain('.rows[0]');
  });

  test('more than one argument is refused', async () => {
    const outcome = await executor().run({
      code: 'return add(1, 2).catch((error) => error.message)',
      tools: { add: () => 0 },
    });
    expect(valueOf(outcome)).toBe('add takes one argument, but 2 were given.');
  });

  test('the tools object is no promise, and holds only tools', async () => {
    const outcome = await executor().run({
      code: 'return [(await tools) === tools, Object.keys(tools), tools.toString, Object.isFrozen(tools)]',
      tools: { one: () => 1 },
    });
    expect(valueOf(outcome)).toEqual([true, ['one'], undefined, true]);
  });

  test('tools with dots in their names are functions within frozen objects', async () => {
    const outcome = await executor().run({
      code: `
        const groups = [tools, tools.orders, orders.archive];
        return [
          await orders.total(2), await tools.orders.archive.find(3), await orders.delete(4),
          groups.every((group) => Object.isFrozen(group) && Object.getPrototypeOf(group) === null),
          (await orders) === tools.orders,
          Object.keys(orders),
        ]`,
      tools: {
        'orders.total': (n: number) => `total ${n}`,
        'orders.archive.find': (n: number) => `find ${n}`,
        'orders.delete': (n: number) => `delete ${n}`,
      },
    });
    const values = ['total 2', 'find 3', 'delete 4', true, true, ['total', 'archive', 'delete']];
    expect(valueOf(outcome)).toEqual(values);
  });

  test('too many calls end the run, even when every refusal is swallowed', async () => {
    const outcome = await executor().run({
      code: 'for (;;) { try { await one() } catch {} }',
      tools: { one: () => 1 },
      limits: { toolCalls: 10 },
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'TOOL_CALL_LIMIT', limit: 10, used: 11 });
  });

  test.each([
    ['arguments', 'await take("x".repeat(2000))', { toolArgBytes: 1000 }],
    ['result', 'await make()', { toolResultBytes: 1000 }],
  ])('a call whose %s are too large ends the run', async (_what, code, limits) => {
    const outcome = await executor().run({
      code: `try { ${code} } catch {} return 1`,
      tools: { take: () => 1, make: () => 'y'.repeat(2000) },
      limits,
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'TOOL_DATA_LIMIT', limit: 1000 });
  });

  test("a tool's signal tells it that the run has ended", async () => {
    const ended = Promise.withResolvers<string>();
    const outcome = await executor().run({
      code: 'forget(); await 0; return 1',
      tools: {
        forget: (_input: unknown, { signal }) => {
          signal.addEventListener('abort', () => ended.resolve(String(signal.reason.message)));
          return new Promise(() => undefined);
        },
      },
    });
    expect(valueOf(outcome)).toBe(1);
    expect(await ended.promise).toBe('The run has ended.');
  });

  test('a tool that runs a guest of its own does not stand in its own way', async () => {
    const outcome = await executor().run({
      code: 'return [await inner(20), 1]',
      tools: {
        inner: async (n: number) =>
          valueOf(await executor().run({ code: 'return n + 1', variables: { n } })),
      },
    });
    expect(valueOf(outcome)).toEqual([21, 1]);
  });
});
