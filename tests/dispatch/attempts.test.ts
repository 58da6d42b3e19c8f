import { TransientError } from '@glovebox/core';
import type { DispatchKind, DispatchResult } from '@glovebox/core';
import { describe, expect, test, vi } from 'vitest';

import { useFakeClock } from '../../packages/core/test/support/fake-clock.ts';
import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';
import { flushMicrotasks } from '../support/event-loop.ts';

useFakeClock();

const fail = (): never => {
  throw new TransientError('busy');
};
const never = (): Promise<never> => new Promise(() => undefined);

/** The result of a call, after all timers that it sets. */
async function finished(result: Promise<DispatchResult>): Promise<DispatchResult> {
  await vi.runAllTimersAsync();
  return result;
}

describe('how often a call is tried', () => {
  interface Case {
    readonly what: string;
    readonly execute: (attempt: number) => unknown;
    readonly idempotent?: boolean;
    readonly maxAttempts?: number;
    readonly ends: DispatchKind | 'ok';
    readonly attempts: number;
    readonly retryable?: boolean;
  }
  const cases: readonly Case[] = [
    {
      what: 'idempotent, too slow',
      execute: never,
      idempotent: true,
      ends: 'timeout',
      attempts: 3,
    },
    { what: 'not idempotent, too slow', execute: never, ends: 'timeout', attempts: 1 },
    {
      what: 'idempotent, too slow once',
      execute: (attempt) => (attempt === 1 ? never() : 'done'),
      idempotent: true,
      ends: 'ok',
      attempts: 2,
    },
    {
      what: 'busy once',
      execute: (attempt) => (attempt === 1 ? fail() : 'done'),
      ends: 'ok',
      attempts: 2,
    },
    { what: 'always busy', execute: fail, maxAttempts: 2, ends: 'transient', attempts: 2 },
    {
      what: 'busy by the brand of another copy',
      execute: () => {
        throw Object.assign(new Error('busy'), { [Symbol.for('glovebox.transient')]: true });
      },
      ends: 'transient',
      attempts: 3,
    },
    {
      what: 'busy as a rejection',
      execute: async () => fail(),
      maxAttempts: 1,
      ends: 'transient',
      attempts: 1,
    },
    {
      what: 'broken',
      execute: () => {
        throw new Error('broken');
      },
      idempotent: true,
      ends: 'internal',
      attempts: 1,
    },
    {
      what: 'no more than busy by name',
      execute: () => {
        throw Object.assign(new Error('busy'), { name: 'TransientError' });
      },
      ends: 'internal',
      attempts: 1,
    },
  ];
  test.each(cases)(
    '$what: $ends after $attempts',
    async ({ execute, idempotent = false, maxAttempts, ends, attempts }) => {
      let attempt = 0;
      const work = counted(() => execute(++attempt), { idempotent });
      const dispatcher = dispatcherOf({ tools: [work], maxAttempts });
      const result = await finished(dispatcher.dispatch({ tool: 'work', timeoutMs: 20 }));
      expect(result).toMatchObject(
        ends === 'ok' ? { value: 'done' } : { error: { kind: ends, attempts } },
      );
      expect(result.attempts).toBe(attempts);
      expect(work.calls).toHaveLength(attempts);
    },
  );

  test.each([
    ['timeout of an idempotent tool', { idempotent: true }, never, true],
    ['timeout of another', {}, never, false],
    ['transient', {}, fail, true],
  ])('whether another call may go well: %s', async (_what, definition, execute, retryable) => {
    const dispatcher = dispatcherOf({ tools: [counted(execute, definition)], maxAttempts: 1 });
    const result = await finished(dispatcher.dispatch({ tool: 'work', timeoutMs: 5 }));
    expect(errorIn(result).retryable).toBe(retryable);
  });
});

describe("an attempt's time", () => {
  test('reaches the tool as a signal, with the reason', async () => {
    const reason = Promise.withResolvers<unknown>();
    const work = counted(async (_args, { signal }) => {
      signal.addEventListener('abort', () => reason.resolve(signal.reason));
      await never();
    });
    const dispatcher = dispatcherOf({ tools: [work] });
    const result = await finished(dispatcher.dispatch({ tool: 'work', timeoutMs: 5 }));
    expect(errorIn(result)).toMatchObject({
      kind: 'timeout',
      message: 'work took longer than 5 ms.',
    });
    expect(await reason.promise).toMatchObject({ name: 'TimeoutError' });
  });

  test.each([
    ["the request's before the tool's", { timeoutMs: 10 }, 60_000, 60_000],
    ["the tool's before the dispatcher's", {}, 10, 60_000],
    ["the dispatcher's at last", {}, undefined, 10],
  ])('is %s', async (_what, request, ofTool, ofDispatcher) => {
    const work = counted(never, { timeoutMs: ofTool });
    const dispatcher = dispatcherOf({ tools: [work], timeoutMs: ofDispatcher });
    const result = await finished(dispatcher.dispatch({ tool: 'work', ...request }));
    expect(errorIn(result).message).toBe('work took longer than 10 ms.');
  });

  test('is over for good: what comes late is not heard', async () => {
    const late = Promise.withResolvers<string>();
    const work = counted(() => (work.calls.length === 1 ? late.promise : 'second'), {
      idempotent: true,
    });
    const dispatcher = dispatcherOf({
      tools: [work],
      sleep: async () => late.reject(new Error('late')),
    });
    const result = await finished(dispatcher.dispatch({ tool: 'work', timeoutMs: 20 }));
    expect([valueIn(result), result.attempts]).toEqual(['second', 2]);
  });

  test('stands still while the tool itself waits for a person', async () => {
    const work = counted((_args, { pauseWallClock }) =>
      pauseWallClock(() => new Promise((resolve) => setTimeout(resolve, 100, 'yes'))),
    );
    const dispatcher = dispatcherOf({ tools: [work] });
    const result = await finished(dispatcher.dispatch({ tool: 'work', timeoutMs: 30 }));
    expect(valueIn(result)).toBe('yes');
  });
});

describe('a caller who gives up', () => {
  test('has an answer at once, whether the tool listens or not', async () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    const work = counted((_args, { signal }) => {
      signal.addEventListener('abort', () => heard.push(signal.reason));
      return never();
    });
    const dispatcher = dispatcherOf({ tools: [work] });
    const result = dispatcher.dispatch({ tool: 'work', signal: controller.signal });
    await flushMicrotasks();
    controller.abort('enough');
    expect(errorIn(await result)).toMatchObject({ kind: 'aborted', attempts: 1, retryable: false });
    expect(heard).toEqual(['enough']);
  });

  test("is also the caller's own caller", async () => {
    const outer = new AbortController();
    const work = counted(never);
    const parent = {
      signal: outer.signal,
      tool: 'outer',
      callId: 1,
      pauseWallClock: <T>(wait: () => Promise<T>) => wait(),
    };
    const { signal } = new AbortController();
    const result = dispatcherOf({ tools: [work] }).dispatch({ tool: 'work', parent, signal });
    await flushMicrotasks();
    outer.abort();
    expect(errorIn(await result).kind).toBe('aborted');
  });
});
