import { Dispatcher, ToolRegistry, TransientError } from '@glovebox/core';
import type { DispatchResult } from '@glovebox/core';
import { describe, expect, test, vi } from 'vitest';

import { useFakeClock } from '../../packages/core/test/support/fake-clock.ts';
import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';

const broken = (): never => {
  throw new Error('broken');
};
const kindOf = (result: DispatchResult): string => (result.ok ? 'ok' : result.error.kind);

describe('a circuit', () => {
  test.each([
    ['internal', broken, {}],
    ['timeout', () => new Promise(() => undefined), { timeoutMs: 5 }],
    ['transient', () => Promise.reject(new TransientError('busy')), {}],
  ])('opens after failures of kind %s, one after the other', async (kind, execute, definition) => {
    const work = counted(execute, definition);
    const dispatcher = dispatcherOf({
      tools: [work],
      maxAttempts: 1,
      circuitBreaker: { failures: 2 },
    });
    const kinds: string[] = [];
    for (let n = 0; n < 4; n++) kinds.push(kindOf(await dispatcher.dispatch({ tool: 'work' })));
    expect(kinds).toEqual([kind, kind, 'circuit_open', 'circuit_open']);
    expect(work.calls).toHaveLength(2);
  });

  test('that is open says so, and that another time may go well', async () => {
    const dispatcher = dispatcherOf({
      tools: [counted(broken)],
      circuitBreaker: { failures: 1 },
    });
    await dispatcher.dispatch({ tool: 'work' });
    expect(errorIn(await dispatcher.dispatch({ tool: 'work' }))).toMatchObject({
      kind: 'circuit_open',
      code: -32_603,
      attempts: 0,
      retryable: true,
    });
  });

  test('that opens between attempts leaves the last error as it is', async () => {
    const work = counted(() => Promise.reject(new TransientError('busy')));
    const dispatcher = dispatcherOf({ tools: [work], circuitBreaker: { failures: 2 } });
    const result = await dispatcher.dispatch({ tool: 'work' });
    expect(errorIn(result)).toMatchObject({ kind: 'transient', attempts: 2 });
  });

  test.each([
    ['a success', () => 1],
    ['a result that is no data', () => () => 1],
  ])('counts anew after %s', async (_what, good) => {
    const work = counted(() => (work.calls.length % 2 === 0 ? good() : broken()));
    const dispatcher = dispatcherOf({ tools: [work], circuitBreaker: { failures: 2 } });
    for (let n = 0; n < 6; n++) await dispatcher.dispatch({ tool: 'work' });
    expect(work.calls).toHaveLength(6);
  });

  test('is that of one tool alone, and a new tool of the name begins anew', async () => {
    const registry = new ToolRegistry();
    registry.register({ name: 'work', execute: broken });
    registry.register({ name: 'other', execute: () => 1 });
    const dispatcher = new Dispatcher({ registry, circuitBreaker: { failures: 1 } });
    await dispatcher.dispatch({ tool: 'work' });
    expect(valueIn(await dispatcher.dispatch({ tool: 'other' }))).toBe(1);
    registry.register({ name: 'work', execute: () => 2 }, { override: true });
    expect(valueIn(await dispatcher.dispatch({ tool: 'work' }))).toBe(2);
  });

  test('stays closed for ever where it is turned off', async () => {
    const work = counted(broken);
    const dispatcher = dispatcherOf({ tools: [work], circuitBreaker: false });
    for (let n = 0; n < 30; n++) await dispatcher.dispatch({ tool: 'work' });
    expect(work.calls).toHaveLength(30);
  });
});

describe('a circuit after its cool-down', () => {
  useFakeClock();

  test.each([
    ['goes well', false, ['internal', 'circuit_open', 'ok', 'ok']],
    ['fails', true, ['internal', 'circuit_open', 'internal', 'circuit_open']],
  ])('lets one through; when that %s', async (_what, failsAgain, expected) => {
    const work = counted(() => (failsAgain || work.calls.length === 1 ? broken() : 1));
    const dispatcher = dispatcherOf({
      tools: [work],
      circuitBreaker: { failures: 1, coolDownMs: 30_000 },
    });
    const kinds = [kindOf(await dispatcher.dispatch({ tool: 'work' }))];
    kinds.push(kindOf(await dispatcher.dispatch({ tool: 'work' })));
    vi.advanceTimersByTime(30_000);
    kinds.push(kindOf(await dispatcher.dispatch({ tool: 'work' })));
    kinds.push(kindOf(await dispatcher.dispatch({ tool: 'work' })));
    expect(kinds).toEqual(expected);
  });

  test('lets no more than one through at a time, and another when that one is given up', async () => {
    const controller = new AbortController();
    const work = counted(() => {
      if (work.calls.length === 1) broken();
      return work.calls.length === 2 ? new Promise(() => undefined) : 3;
    });
    const dispatcher = dispatcherOf({
      tools: [work],
      circuitBreaker: { failures: 1, coolDownMs: 30_000 },
    });
    await dispatcher.dispatch({ tool: 'work' });
    vi.advanceTimersByTime(30_000);
    const probe = dispatcher.dispatch({ tool: 'work', signal: controller.signal });
    expect(kindOf(await dispatcher.dispatch({ tool: 'work' }))).toBe('circuit_open');
    controller.abort();
    expect(kindOf(await probe)).toBe('aborted');
    expect(valueIn(await dispatcher.dispatch({ tool: 'work' }))).toBe(3);
  });
});
