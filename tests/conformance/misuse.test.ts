import { Executor, isGloveboxError } from '@glovebox/core';
import type { ExecutorOptions, MisuseCode, RunOptions } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { createExecutor, describeEachPool, EVERY_POOL } from '../support/pools.ts';

async function misuseOf(act: () => unknown): Promise<[MisuseCode, string | undefined, string]> {
  try {
    await act();
  } catch (error) {
    if (isGloveboxError(error)) return [error.code, error.path, error.message];
    throw error;
  }
  throw new Error('Nothing was thrown.');
}

describe('bad options of an executor', () => {
  test.each<[string, unknown, string]>([
    ['memory in bytes', { limits: { memoryMb: 128 * 2 ** 20 } }, 'limits.memoryMb'],
    ['too little memory', { limits: { memoryMb: 1 } }, 'limits.memoryMb'],
    ['a negative time', { limits: { wallMs: -1 } }, 'limits.wallMs'],
    ['half a millisecond', { limits: { wallMs: 0.5 } }, 'limits.wallMs'],
    ['an endless time', { limits: { wallMs: Infinity } }, 'limits.wallMs'],
    ['a time as text', { limits: { wallMs: '1s' } }, 'limits.wallMs'],
    ['an unknown limit', { limits: { memory: 64 } }, 'limits'],
    ['an unknown option', { workers: 2 }, ''],
    ['no hosts', { hosts: 0 }, 'hosts'],
    ['an unknown pool', { pool: 'cluster' }, 'pool'],
    ['an unknown feature', { features: ['require'] }, 'features.0'],
    ['no object', 7, ''],
  ])('%s is refused', async (_what, options, path) => {
    const [code, where] = await misuseOf(() => new Executor(options as ExecutorOptions));
    expect(code).toBe('INVALID_OPTIONS');
    expect(where).toBe(path);
  });

  test('the message says which unit is meant', async () => {
    const options = { limits: { memoryMb: 128 * 2 ** 20 } };
    const [, , message] = await misuseOf(() => new Executor(options));
    expect(message).toContain('memoryMb is in MiB');
  });
});

const noop = (): number => 1;

class Account {
  balance = 1;
}

describeEachPool('misuse', (executor) => {
  test.each<[string, unknown, MisuseCode, string | undefined]>([
    ['no options', undefined, 'INVALID_OPTIONS', ''],
    ['code that is no text', { code: 7 }, 'INVALID_OPTIONS', 'code'],
    ['an unknown option', { code: '', timeout: 1 }, 'INVALID_OPTIONS', ''],
    ['a signal that is none', { code: '', signal: {} }, 'INVALID_OPTIONS', 'signal'],
    ['a tool that is no function', { code: '', tools: { a: 7 } }, 'INVALID_OPTIONS', 'tools.a'],
    ['a file name with a path', { code: '', filename: '../a.js' }, 'INVALID_OPTIONS', 'filename'],
    ['a file name of two lines', { code: '', filename: 'a\nb' }, 'INVALID_OPTIONS', 'filename'],
    ['a name with a hyphen', { code: '', variables: { 'a-b': 1 } }, 'INVALID_NAME', 'variables'],
    ['an empty name', { code: '', variables: { '': 1 } }, 'INVALID_NAME', 'variables'],
    ['a reserved word', { code: '', variables: { await: 1 } }, 'INVALID_NAME', 'variables'],
    ['the name of a global', { code: '', variables: { Promise: 1 } }, 'INVALID_NAME', 'variables'],
    ['undefined as a name', { code: '', variables: { undefined: 1 } }, 'INVALID_NAME', 'variables'],
    ['a name of code', { code: '', variables: { 'a=1;b': 1 } }, 'INVALID_NAME', 'variables'],
    // oxlint-disable-next-line unicorn/no-thenable -- that is the hazard
    ['a tool named then', { code: '', tools: { then: noop } }, 'INVALID_NAME', 'tools'],
    [
      'a tool named constructor',
      { code: '', tools: { constructor: noop } },
      'INVALID_NAME',
      'tools',
    ],
    ['a part named then', { code: '', tools: { 'a.then': noop } }, 'INVALID_NAME', 'tools'],
    [
      'a part named __proto__',
      { code: '', tools: { 'a.__proto__.b': noop } },
      'INVALID_NAME',
      'tools',
    ],
    ['an empty part', { code: '', tools: { 'a..b': noop } }, 'INVALID_NAME', 'tools'],
    [
      'a group over a global',
      { code: '', tools: { 'console.log': noop } },
      'INVALID_NAME',
      'tools',
    ],
    [
      'a tool and a group of one name',
      { code: '', tools: { 'a.b.c': noop, 'a.b': noop } },
      'INVALID_NAME',
      'tools',
    ],
    [
      'a variable and a group of one name',
      { code: '', tools: { 'a.b': noop }, variables: { a: 1 } },
      'INVALID_NAME',
      undefined,
    ],
    ['a tool named tools', { code: '', tools: { tools: noop } }, 'INVALID_NAME', 'tools'],
    [
      'one name twice',
      { code: '', tools: { a: noop }, variables: { a: 1 } },
      'INVALID_NAME',
      undefined,
    ],
    ['a function', { code: '', variables: { f: noop } }, 'UNSERIALIZABLE_VARIABLES', '.f'],
    [
      'a class instance',
      { code: '', variables: { list: [new Account()] } },
      'UNSERIALIZABLE_VARIABLES',
      '.list[0]',
    ],
  ])('%s is refused at once', async (_what, options, code, path) => {
    const [actual, where] = await misuseOf(() => executor().run(options as RunOptions));
    expect([actual, where]).toEqual([code, path]);
  });

  test('__proto__ as a name is refused', async () => {
    const variables = JSON.parse('{"__proto__": 1}');
    const [code] = await misuseOf(() => executor().run({ code: '', variables }));
    expect(code).toBe('INVALID_NAME');
  });
});

describe.each(EVERY_POOL)('a closed executor (%s pool)', (pool) => {
  test('refuses runs and sessions, and closes once', async () => {
    const executor = await createExecutor(pool, { hosts: 1 });
    const running = executor.run({ code: 'for (;;);' });
    await executor.ready();
    await Promise.all([executor.close(), executor.close()]);
    expect(await running).toMatchObject({ ok: false, error: { code: 'ABORTED' } });
    for (const act of [
      () => executor.run({ code: 'return 1' }),
      () => executor.openSession(),
      () => executor.ready(),
    ]) {
      expect((await misuseOf(act))[0]).toBe('EXECUTOR_CLOSED');
    }
  });

  test('can let its runs end first', async () => {
    const executor = await createExecutor(pool, { hosts: 1 });
    const runs = [1, 2, 3].map((n) => executor.run({ code: 'return n', variables: { n } }));
    await executor.close({ drain: true });
    expect(await Promise.all(runs)).toMatchObject([{ value: 1 }, { value: 2 }, { value: 3 }]);
  });
});
