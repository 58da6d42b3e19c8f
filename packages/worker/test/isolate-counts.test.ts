import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { GUEST_RUNTIME_SOURCE } from '../src/generated/guest-runtime.ts';
import { createGuestIsolate } from '../src/slot/guest-isolate.ts';
import { IsolateStore } from '../src/slot/isolate-store.ts';

const SETTINGS = { memoryMb: 32, features: [], prepared: 2, session: false };

test('each run costs one isolate, whatever stands ready', async () => {
  let made = 0;
  const store = new IsolateStore(SETTINGS, (options) => {
    made++;
    return createGuestIsolate(options);
  });
  store.refill();
  for (let run = 0; run < 20; run++) {
    const guest = store.acquire(SETTINGS.memoryMb);
    expect(guest).toBeDefined();
    if (guest !== undefined) store.release(guest);
    await delay(5);
  }
  await delay(20);
  expect(made).toBe(20 + SETTINGS.prepared);
  store.close();
});

test('runs of a session share one', async () => {
  let made = 0;
  const store = new IsolateStore({ ...SETTINGS, session: true }, (options) => {
    made++;
    return createGuestIsolate(options);
  });
  const first = store.acquire(SETTINGS.memoryMb);
  for (let run = 0; run < 5; run++) {
    expect(store.acquire(SETTINGS.memoryMb)).toBe(first);
    if (first !== undefined) store.release(first);
    await delay(2);
  }
  expect(made).toBe(1);
  store.close();
});

test('the runtime that each isolate carries stays small', () => {
  // Each kilobyte costs every isolate a microsecond or two. Raise it only with the benchmark at hand.
  expect(GUEST_RUNTIME_SOURCE.length).toBeLessThan(64_000);
});
