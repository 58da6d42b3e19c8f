import { ToolCallError, TransientError } from '@glovebox/core';
import type { DispatchKind, DispatchResult } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';
import { flushMicrotasks } from '../support/event-loop.ts';

describe('concurrency', () => {
  test.each([
    [3, 3],
    [undefined, 8],
  ])('given as %s, at most %d attempts are under way', async (concurrency, most) => {
    let running = 0;
    let peak = 0;
    const work = counted(async ({ n }: { n: number }) => {
      peak = Math.max(peak, ++running);
      await flushMicrotasks();
      running--;
      return n;
    });
    const dispatcher = dispatcherOf({ tools: [work], concurrency });
    const calls = Array.from({ length: 20 }, (_, n) =>
      dispatcher.dispatch({ tool: 'work', args: { n } }),
    );
    expect((await Promise.all(calls)).map(valueIn)).toEqual(calls.map((_, n) => n));
    expect(peak).toBe(most);
  });

  test('who waits is served in the order of coming, and may give up', async () => {
    const controller = new AbortController();
    const gate = Promise.withResolvers<void>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work], concurrency: 1 });
    const dispatch = (n: number, signal?: AbortSignal) =>
      dispatcher.dispatch({ tool: 'work', args: n, signal });
    const first = dispatch(1);
    const impatient = dispatch(2, controller.signal);
    const others = [dispatch(3), dispatch(4)];
    await flushMicrotasks();
    controller.abort();
    expect(errorIn(await impatient)).toMatchObject({ kind: 'aborted', attempts: 0 });
    gate.resolve();
    await Promise.all([first, ...others]);
    expect(work.calls).toEqual([1, 3, 4]);
  });

  test('a wait for another attempt keeps nobody out', async () => {
    const gate = Promise.withResolvers<void>();
    const busy = counted(
      () => {
        if (busy.calls.length === 1) throw new TransientError('busy');
        return 'done';
      },
      { name: 'busy' },
    );
    const work = counted(() => {
      gate.resolve();
      return 'between';
    });
    const dispatcher = dispatcherOf({
      tools: [busy, work],
      concurrency: 1,
      sleep: () => gate.promise,
    });
    const first = dispatcher.dispatch({ tool: 'busy' });
    expect(valueIn(await dispatcher.dispatch({ tool: 'work' }))).toBe('between');
    expect(valueIn(await first)).toBe('done');
  });

  test('a tool that never returns keeps nobody out after its timeout', async () => {
    const hang = counted(() => new Promise(() => undefined), { name: 'hang' });
    const dispatcher = dispatcherOf({ tools: [hang, counted(() => 1)], concurrency: 1 });
    const hung = dispatcher.dispatch({ tool: 'hang', timeoutMs: 20 });
    expect(valueIn(await dispatcher.dispatch({ tool: 'work' }))).toBe(1);
    expect(errorIn(await hung).kind).toBe('timeout');
  });

  test('a call within a call shares its place', async () => {
    const inner = counted(() => 'inner', { name: 'inner' });
    const outer = counted(
      async (_args, parent) => valueIn(await dispatcher.dispatch({ tool: 'inner', parent })),
      { name: 'outer' },
    );
    const dispatcher = dispatcherOf({ tools: [inner, outer], concurrency: 1 });
    const result = await dispatcher.dispatch({ tool: 'outer', timeoutMs: 1000 });
    expect(valueIn(result)).toBe('inner');
  });
});

describe('calls within calls', () => {
  test('a tool that is under way in the same chain is refused', async () => {
    const results: DispatchResult[] = [];
    const ping = counted(
      async (_args, parent) =>
        void results.push(await dispatcher.dispatch({ tool: 'pong', parent })),
      { name: 'ping' },
    );
    const pong = counted(
      async (_args, parent) =>
        void results.push(await dispatcher.dispatch({ tool: 'ping', parent })),
      { name: 'pong' },
    );
    const dispatcher = dispatcherOf({ tools: [ping, pong] });
    expect((await dispatcher.dispatch({ tool: 'ping' })).ok).toBe(true);
    const [innermost] = results;
    expect(innermost && errorIn(innermost)).toMatchObject({
      kind: 'recursion',
      message: 'ping is already running: ping → pong → ping.',
    });
    expect([ping.calls.length, pong.calls.length]).toEqual([1, 1]);
  });

  test('a chain that is too long is refused', async () => {
    const names = Array.from({ length: 9 }, (_, n) => `t${n}`);
    const tools = names.map((name, n) =>
      counted(
        async (_args, parent) => {
          const result = await dispatcher.dispatch({ tool: names[n + 1] ?? 'none', parent });
          if (!result.ok) throw new ToolCallError(result.error);
        },
        { name },
      ),
    );
    const dispatcher = dispatcherOf({ tools });
    expect(errorIn(await dispatcher.dispatch({ tool: 't0' }))).toMatchObject({
      kind: 'internal',
      name: 'ToolCallError',
      toolCode: 'recursion',
      message: `The chain of nested calls is too long: ${names.join(' → ')}.`,
    });
    expect(tools.map(({ calls }) => calls.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
  });
});

describe('a budget', () => {
  test('goes down by one for each call, however often it is tried', async () => {
    const budget = { remaining: 2 };
    const work = counted(() => Promise.reject(new TransientError('busy')));
    const dispatcher = dispatcherOf({ tools: [work] });
    const kinds: DispatchKind[] = [];
    for (let n = 0; n < 3; n++) {
      kinds.push(errorIn(await dispatcher.dispatch({ tool: 'work', budget })).kind);
    }
    expect(kinds).toEqual(['transient', 'transient', 'budget_exceeded']);
    expect(budget.remaining).toBe(0);
    expect(work.calls).toHaveLength(6);
  });

  test('holds for calls at the same time', async () => {
    const budget = { remaining: 3 };
    const work = counted(() => flushMicrotasks());
    const dispatcher = dispatcherOf({ tools: [work] });
    const calls = Array.from({ length: 10 }, () => dispatcher.dispatch({ tool: 'work', budget }));
    const results = await Promise.all(calls);
    expect(results.filter(({ ok }) => ok)).toHaveLength(3);
    expect(work.calls).toHaveLength(3);
  });

  test('is not used by a call for which no tool was called', async () => {
    const budget = { remaining: 1 };
    const work = counted(() => 1, { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work] });
    expect(errorIn(await dispatcher.dispatch({ tool: 'work', budget })).kind).toBe('denied');
    expect(budget.remaining).toBe(1);
  });

  test('counts calls within calls', async () => {
    const budget = { remaining: 2 };
    const inner = counted(() => 1, { name: 'inner' });
    const outer = counted(
      async (_args, parent) => {
        const calls = [1, 2].map(() => dispatcher.dispatch({ tool: 'inner', parent }));
        return (await Promise.all(calls)).map((result) => (result.ok ? 'ok' : result.error.kind));
      },
      { name: 'outer' },
    );
    const dispatcher = dispatcherOf({ tools: [inner, outer] });
    const result = await dispatcher.dispatch({ tool: 'outer', budget });
    expect(valueIn(result)).toEqual(['ok', 'budget_exceeded']);
  });
});
