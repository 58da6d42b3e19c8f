import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import { DISPATCH_CHANNELS, TransientError } from '@glovebox/core';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { counted, dispatcherOf, valueIn } from '../support/dispatch.ts';

let heard: [name: string, event: unknown][] = [];
const listeners = Object.entries(DISPATCH_CHANNELS).map(
  ([name, channel]) => [channel, (event: unknown) => void heard.push([name, event])] as const,
);
beforeEach(() => {
  heard = [];
  for (const [channel, listener] of listeners) subscribe(channel, listener);
});
afterEach(() => {
  for (const [channel, listener] of listeners) unsubscribe(channel, listener);
});

test('every step of a call is told, with names and numbers alone', async () => {
  const work = counted(
    () => {
      if (work.calls.length === 1) throw new TransientError('secret');
      return 'secret';
    },
    { needsApproval: true },
  );
  const dispatcher = dispatcherOf({
    tools: [work],
    approve: () => ({ decision: 'approve' }),
    random: () => 0,
  });
  await dispatcher.dispatch({ tool: 'work', args: 'secret' });
  const call = { dispatchId: 1, tool: 'work' };
  expect(heard).toEqual([
    ['start', call],
    ['approval', { ...call, state: 'asked' }],
    ['approval', { ...call, state: 'answered' }],
    ['attempt', { ...call, attempt: 1 }],
    ['retry', { ...call, attempt: 1, kind: 'transient', delayMs: 100 }],
    ['attempt', { ...call, attempt: 2 }],
    [
      'end',
      {
        ...call,
        ok: true,
        kind: undefined,
        attempts: 2,
        cached: false,
        durationMs: expect.any(Number),
      },
    ],
  ]);
  expect(JSON.stringify(heard)).not.toContain('secret');
});

test('a call that is refused begins and ends', async () => {
  await dispatcherOf({ tools: [] }).dispatch({ tool: 'gone' });
  const call = { dispatchId: 1, tool: 'gone' };
  expect(heard).toMatchObject([
    ['start', call],
    ['end', { ...call, ok: false, kind: 'not_found', attempts: 0 }],
  ]);
});

test('a value that was remembered says so', async () => {
  const dispatcher = dispatcherOf({ tools: [counted(() => 1)] });
  const call = { tool: 'work', idempotencyKey: 'step-1' };
  await dispatcher.dispatch(call);
  heard = [];
  expect(valueIn(await dispatcher.dispatch(call))).toBe(1);
  expect(heard).toMatchObject([
    ['start', { dispatchId: 2 }],
    ['end', { dispatchId: 2, ok: true, attempts: 0, cached: true }],
  ]);
});
