import { createGuestTools } from '@glovebox/core';
import { RemoteExecutor } from '@glovebox/core/smolagents';
import type { RemoteExecutorOptions } from '@glovebox/core/smolagents';
import { tuple } from '@glovebox/serializer';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { CODE, RICH, setUpTools, useExecutor } from '../support/adapters.ts';

const executor = useExecutor();

function remote(options: Partial<RemoteExecutorOptions> = {}): RemoteExecutor {
  return new RemoteExecutor({ executor: executor(), ...options });
}

/** What a call gives that is no answer and costs no state. */
function output(value: unknown, logs = ''): object {
  return { output: value, logs, isFinalAnswer: false, isStateLost: false };
}

describe('calls', () => {
  test('state, functions and logs are kept from call to call', async () => {
    await using box = remote();
    expect(await box.call("const a = 1; console.log('a', a); console.warn('b')")).toEqual(
      output(undefined, 'a 1\nb'),
    );
    expect(await box.call('function next(): number { return a + 1 }')).toEqual(output(undefined));
    expect(await box.call('return next()')).toEqual(output(2));
  });

  test('values come out exactly', async () => {
    await using box = remote();
    await box.sendVariables({ rich: RICH });
    expect((await box.call('return { ...rich, when: rich.when }')).output).toStrictEqual(RICH);
  });

  test.each([
    [
      CODE.endless,
      'WALL_LIMIT',
      'WALL_LIMIT',
      /^Error: WALL_LIMIT: The run took longer than 300 ms/,
    ],
    [
      "console.log('so far'); throw Object.assign(new RangeError('no'), { code: 'E_NO' })",
      'RangeError',
      'E_NO',
      /^Error: RangeError: no\ncode: E_NO\nat line 1, column \d+:[\s\S]*Logs:\nso far$/,
    ],
    ['const const', 'SyntaxError', 'SYNTAX_ERROR', /at line 1, column 7:/],
  ])(
    'a failure is an error with name, code and place: %s',
    async (code, name, errorCode, message) => {
      await using box = remote({ limits: { wallMs: 300 } });
      await expect(box.call(code)).rejects.toMatchObject({
        name,
        code: errorCode,
        message: expect.stringMatching(message),
      });
    },
  );

  test('code that is ended costs the state, and says so; variables and tools are there', async () => {
    await using box = remote({ limits: { wallMs: 300 } });
    await box.sendVariables({ kept: 7 });
    box.sendTools({ double: (n: number) => n * 2 });
    await box.call('const gone = 1');
    await expect(box.call(CODE.endless)).rejects.toThrow(
      'The declarations of earlier code are lost.',
    );
    expect(await box.call('return [await double(kept), typeof gone]')).toEqual(
      output([14, 'undefined']),
    );
  });

  test('an error of the code does not cost the state', async () => {
    await using box = remote();
    await box.call('const kept = 1');
    await expect(box.call('throw new Error("no")')).rejects.toThrow(/^Error: Error: no(?!.*gone)/s);
    expect(await box.call('return kept')).toEqual(output(1));
  });

  test('a signal ends the code and its tools', async () => {
    const { dispatcher, aborted, waiting } = setUpTools(executor());
    await using box = remote();
    box.sendTools(createGuestTools(dispatcher, dispatcher.registry.names));
    const abort = new AbortController();
    const call = box.call(CODE.waits, { signal: abort.signal });
    await waiting;
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    expect(await aborted).toBeInstanceOf(DOMException);
  });

  test('calls that are made at once run one after the other, in one session', async () => {
    await using box = remote();
    const calls = ['globalThis.all = []', 'all.push(1)', 'all.push(2)', 'return all'];
    const outputs = await Promise.all(calls.map((code) => box.call(code)));
    expect(outputs.at(-1)).toEqual(output([1, 2]));
    expect(executor().stats().sessions).toBe(1);
  });

  test('cleanup ends what runs, which is not run again', async () => {
    const begun = Promise.withResolvers<void>();
    let times = 0;
    await using box = remote();
    box.sendTools({
      begin: () => {
        times++;
        begun.resolve();
      },
    });
    const running = box.call('await begin(); await new Promise(() => {})');
    await begun.promise;
    const cleanup = box.cleanup();
    await expect(running).rejects.toMatchObject({ code: 'ABORTED' });
    await cleanup;
    expect(times).toBe(1);
    expect(executor().stats().sessions).toBe(0);
  });

  test('after cleanup a call begins anew', async () => {
    await using box = remote();
    await box.sendVariables({ kept: 7 });
    await box.call('const gone = 1');
    const cleanup = box.cleanup();
    expect(await box.call('return [kept, typeof gone]')).toEqual(output([7, 'undefined']));
    await cleanup;
  });
});

describe('variables', () => {
  test('may be the text that Python writes', async () => {
    await using box = remote();
    const text =
      'safe:{"ids": {"__type__": "set", "data": [1, 2]}, "pair": {"__type__": "tuple", "data": [1, "a"]}}';
    await box.sendVariables(text);
    const { output: value } = await box.call('return [ids.has(2), pair]');
    expect(value).toEqual([true, tuple(1, 'a')]);
  });

  test('stay as code changes them', async () => {
    await using box = remote();
    await box.sendVariables({ count: 1 });
    await box.call('count += 1');
    expect(await box.call('return count')).toEqual(output(2));
  });

  test.each([
    ['no object', 'safe:[1]', { code: 'INVALID_OPTIONS' }],
    ['a pickle', 'pickle:gASVBQ==', { code: 'UNSAFE_REJECTED' }],
    ['a function', { f: () => 1 }, { code: 'UNSERIALIZABLE_VARIABLES', path: '.f' }],
    ['a reserved name', { class: 1 }, { code: 'INVALID_NAME' }],
    ['a global', { Promise: 1 }, { code: 'INVALID_NAME' }],
    ['the name of a tool', { double: 1 }, { code: 'INVALID_NAME' }],
    ['the name of the answer', { final_answer: 1 }, { code: 'INVALID_NAME' }],
  ])('%s is refused', async (_what, variables, error) => {
    await using box = remote();
    box.sendTools({ double: (n: number) => n * 2 });
    await expect(box.sendVariables(variables)).rejects.toMatchObject(error);
    expect(await box.call('return double(2)')).toEqual(output(4));
  });
});

describe('tools', () => {
  test('run in this process, in parallel, with schemas and dots', async () => {
    const { dispatcher } = setUpTools(executor());
    await using box = remote();
    box.sendTools(createGuestTools(dispatcher, dispatcher.registry.names));
    expect(await box.call(CODE.parallel)).toEqual(output([3, 3, 3]));
    expect(await box.call('return orders.total({ customer: 4 })')).toEqual(output(40));
  });

  test('keep the names and codes of their errors', async () => {
    const { dispatcher } = setUpTools(executor());
    await using box = remote();
    box.sendTools(createGuestTools(dispatcher, ['orders.pay']));
    await expect(box.call(CODE.fails)).rejects.toMatchObject({
      name: 'RangeError',
      code: 'E_RANGE',
    });
  });

  test.each([
    ['no function', { double: 1 }, 'INVALID_OPTIONS'],
    ['a name that code cannot call', { 'a-b': () => 1 }, 'INVALID_NAME'],
    ['the name of a variable', { kept: () => 1 }, 'INVALID_NAME'],
    ['the name of a group', { a: () => 1, 'a.b': () => 1 }, 'INVALID_NAME'],
  ])('%s is refused', async (_what, tools, code) => {
    await using box = remote();
    await box.sendVariables({ kept: 1 });
    // It is no tool, on purpose.
    expect(() => box.sendTools(tools as never)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the final answer', () => {
  test('ends the code, whatever follows', async () => {
    await using box = remote();
    const code =
      "console.log('a'); await final_answer(new Map([[1, 2n]])); console.log('b'); return 1";
    expect(await box.call(code)).toEqual({
      output: new Map([[1, 2n]]),
      logs: 'a',
      isFinalAnswer: true,
      isStateLost: false,
    });
  });

  test('is the first one, and no tool does anything after it, even when code catches that', async () => {
    const calls: number[] = [];
    await using box = remote();
    box.sendTools({ work: (n: number) => void calls.push(n) });
    const code = `
      await work(1);
      for (const answer of ['first', 'second']) await final_answer(answer).catch(() => {});
      await work(2).catch(() => {});
      throw new Error('no')`;
    expect(await box.call(code)).toMatchObject({ output: 'first', isFinalAnswer: true });
    expect(calls).toEqual([1]);
  });

  test('is of one call only', async () => {
    await using box = remote();
    box.sendTools({ double: (n: number) => n * 2 });
    await box.call('await final_answer(1)');
    expect(await box.call('return double(2)')).toEqual(output(4));
  });

  test('is what a tool of that name makes of it', async () => {
    await using box = remote({ finalAnswer: 'done' });
    box.sendTools({
      done: {
        inputSchema: z.object({ text: z.string() }),
        execute: ({ text }: { text: string }) => text.toUpperCase(),
      },
    });
    await expect(box.call('await done(1)')).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' });
    expect(await box.call("await done({ text: 'yes' })")).toMatchObject({
      output: 'YES',
      isFinalAnswer: true,
    });
  });
});
