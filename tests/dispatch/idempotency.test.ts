import { TransientError } from '@glovebox/core';
import { describe, expect, test } from 'vitest';

import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';
import { flushMicrotasks } from '../support/event-loop.ts';

const call = { tool: 'work', args: { id: 1 }, idempotencyKey: 'step-1' };

describe('calls with the same key', () => {
  test('at the same time call the tool once, and get the same', async () => {
    const gate = Promise.withResolvers<object>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work] });
    const both = [dispatcher.dispatch(call), dispatcher.dispatch(call)];
    await flushMicrotasks();
    gate.resolve({ total: 3 });
    const [first, second] = await Promise.all(both);
    expect(work.calls).toHaveLength(1);
    expect(first).toMatchObject({ value: { total: 3 }, attempts: 1, cached: false });
    expect(second).toMatchObject({ value: { total: 3 }, attempts: 0, cached: true });
  });

  test('one after the other call the tool once', async () => {
    const work = counted(() => 3);
    const dispatcher = dispatcherOf({ tools: [work] });
    expect(await dispatcher.dispatch(call)).toMatchObject({ value: 3, attempts: 1, cached: false });
    expect(await dispatcher.dispatch(call)).toMatchObject({ value: 3, attempts: 0, cached: true });
    expect(work.calls).toHaveLength(1);
  });

  test('call the tool once even when all places are taken', async () => {
    const gate = Promise.withResolvers<void>();
    const work = counted(() => 3);
    const blocker = counted(() => gate.promise, { name: 'block' });
    const dispatcher = dispatcherOf({ tools: [work, blocker], concurrency: 1 });
    const blocked = dispatcher.dispatch({ tool: 'block' });
    const both = [dispatcher.dispatch(call), dispatcher.dispatch(call)];
    await flushMicrotasks();
    expect(work.calls).toHaveLength(0);
    gate.resolve();
    await blocked;
    expect((await Promise.all(both)).map(valueIn)).toEqual([3, 3]);
    expect(work.calls).toHaveLength(1);
  });

  test('fail alike, and nobody needs to listen', async () => {
    const gate = Promise.withResolvers<never>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work], maxAttempts: 1 });
    const both = [dispatcher.dispatch(call), dispatcher.dispatch(call)];
    await flushMicrotasks();
    gate.reject(new TransientError('busy', { code: 'E_BUSY' }));
    expect((await Promise.all(both)).map(errorIn)).toMatchObject([
      { kind: 'transient', toolCode: 'E_BUSY', attempts: 1 },
      { kind: 'transient', toolCode: 'E_BUSY', attempts: 0 },
    ]);
    expect(work.calls).toHaveLength(1);
  });

  test('tell the tool their key, the same for each attempt', async () => {
    const keys: unknown[] = [];
    const work = counted((_args, { idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (keys.length === 1) throw new TransientError('busy');
    });
    const dispatcher = dispatcherOf({ tools: [work] });
    await dispatcher.dispatch(call);
    await dispatcher.dispatch({ tool: 'work' });
    expect(keys).toEqual(['step-1', 'step-1', undefined]);
  });

  test('are made anew after a failure', async () => {
    const work = counted(() => {
      if (work.calls.length === 1) throw new Error('broken');
      return 3;
    });
    const dispatcher = dispatcherOf({ tools: [work] });
    expect(errorIn(await dispatcher.dispatch(call)).kind).toBe('internal');
    expect(valueIn(await dispatcher.dispatch(call))).toBe(3);
  });

  test('remember that a tool returned nothing', async () => {
    const work = counted(() => undefined);
    const dispatcher = dispatcherOf({ tools: [work] });
    await dispatcher.dispatch(call);
    expect(await dispatcher.dispatch(call)).toMatchObject({ ok: true, cached: true });
    expect(work.calls).toHaveLength(1);
  });
});

describe('a key belongs to its tool and arguments', () => {
  const other = { tool: 'other', args: { id: 1 }, idempotencyKey: 'step-1' };
  test.each([
    ['another tool', other],
    ['other arguments', { ...call, args: { id: 2 } }],
    ['no arguments', { ...call, args: undefined }],
    ['arguments of another type', { ...call, args: { id: '1' } }],
  ])('with %s it is an error, at any time', async (_what, clashing) => {
    const gate = Promise.withResolvers<number>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work, counted(() => 4, { name: 'other' })] });
    const running = dispatcher.dispatch(call);
    const conflict = { kind: 'idempotency_conflict', code: -32_602, attempts: 0 };
    expect(errorIn(await dispatcher.dispatch(clashing))).toMatchObject(conflict);
    gate.resolve(3);
    expect(valueIn(await running)).toBe(3);
    expect(errorIn(await dispatcher.dispatch(clashing))).toMatchObject(conflict);
  });

  test.each([
    ['keys in another order', { id: 1, size: 2 }, { size: 2, id: 1 }],
    [
      'dates and maps',
      { at: new Date(7), by: new Map([[1, 2n]]) },
      { at: new Date(7), by: new Map([[1, 2n]]) },
    ],
    ['what is no number', { id: NaN }, { id: NaN }],
  ])('the same arguments are the same: %s', async (_what, args, same) => {
    const work = counted(() => 3);
    const dispatcher = dispatcherOf({ tools: [work] });
    await dispatcher.dispatch({ ...call, args });
    expect(await dispatcher.dispatch({ ...call, args: same })).toMatchObject({ cached: true });
  });

  test('arguments that the caller changes later stay those of the key', async () => {
    const args = { id: 1 };
    const dispatcher = dispatcherOf({ tools: [counted(() => 3)] });
    await dispatcher.dispatch({ ...call, args });
    args.id = 2;
    expect(errorIn(await dispatcher.dispatch({ ...call, args })).kind).toBe('idempotency_conflict');
    expect(await dispatcher.dispatch(call)).toMatchObject({ cached: true });
  });

  test('arguments that cannot be compared are refused', async () => {
    const work = counted(() => 3);
    const dispatcher = dispatcherOf({ tools: [work] });
    const result = await dispatcher.dispatch({ ...call, args: { callback: () => 1 } });
    expect(errorIn(result)).toMatchObject({ kind: 'unserializable', attempts: 0 });
    expect(work.calls).toEqual([]);
  });
});

describe('what is remembered', () => {
  test('is bounded: what was used least of late is forgotten first', async () => {
    const work = counted(({ id }: { id: number }) => id);
    const dispatcher = dispatcherOf({ tools: [work], cache: { maxEntries: 2 } });
    const dispatch = (id: number) =>
      dispatcher.dispatch({ tool: 'work', args: { id }, idempotencyKey: String(id) });
    for (const id of [1, 2, 1, 3]) await dispatch(id);
    expect(await dispatch(1)).toMatchObject({ cached: true });
    expect(await dispatch(2)).toMatchObject({ cached: false });
  });

  test('is given without budget, and the same goes for joining', async () => {
    const gate = Promise.withResolvers<number>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work] });
    const running = dispatcher.dispatch(call);
    const budget = { remaining: 0 };
    const joined = dispatcher.dispatch({ ...call, budget });
    await flushMicrotasks();
    gate.resolve(3);
    expect(valueIn(await joined)).toBe(3);
    await running;
    expect(valueIn(await dispatcher.dispatch({ ...call, budget }))).toBe(3);
    expect(budget.remaining).toBe(0);
  });
});

describe('a caller who gives up', () => {
  test('leaves the others what they wait for, be it the first one', async () => {
    const controller = new AbortController();
    const gate = Promise.withResolvers<number>();
    const work = counted(() => gate.promise);
    const dispatcher = dispatcherOf({ tools: [work] });
    const first = dispatcher.dispatch({ ...call, signal: controller.signal });
    const second = dispatcher.dispatch(call);
    await flushMicrotasks();
    controller.abort();
    expect(errorIn(await first)).toMatchObject({ kind: 'aborted', attempts: 1 });
    gate.resolve(3);
    expect(valueIn(await second)).toBe(3);
    expect(work.calls).toHaveLength(1);
  });

  test('ends the call when nobody else waits, and the key is free at once', async () => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    const work = counted((_args, { signal }) => {
      if (work.calls.length > 1) return 'second';
      signal.addEventListener('abort', () => heard.push(signal.reason));
      return new Promise(() => undefined);
    });
    const dispatcher = dispatcherOf({ tools: [work] });
    const first = dispatcher.dispatch({ ...call, signal: controller.signal });
    await flushMicrotasks();
    controller.abort('enough');
    expect(errorIn(await first).kind).toBe('aborted');
    expect(valueIn(await dispatcher.dispatch(call))).toBe('second');
    expect(heard).toEqual(['enough']);
    expect(await dispatcher.dispatch(call)).toMatchObject({ value: 'second', cached: true });
  });
});
