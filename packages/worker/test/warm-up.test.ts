import { setTimeout as delay } from 'node:timers/promises';

import type { GuestConfig, RunMessage } from '@glovebox/protocol/guest-messages';
import { DEFAULT_LIMITS, guestLimitsOf } from '@glovebox/protocol/limits';
import { expect, test } from 'vitest';

import { createGuestIsolate, prepareSnapshot } from '../src/slot/guest-isolate.ts';
import type { GuestIsolate } from '../src/slot/guest-isolate.ts';
import { IsolateStore } from '../src/slot/isolate-store.ts';

const SETTINGS = { memoryMb: 32, features: [], prepared: 2, session: false };
const LARGE = 2 ** 24;
const CONFIG: GuestConfig = {
  filename: 'guest.js',
  tools: [],
  declare: [],
  ...guestLimitsOf({ ...DEFAULT_LIMITS, resultBytes: LARGE }),
  deterministic: { now: 0, seed: 1 },
};

/** All that guest code can reach from its globals, by path, and what patterns last matched. */
const EVERYTHING = `
  const seen = new Map();
  const lines = [];
  const visit = (value, path) => {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      return typeof value === 'symbol' ? String(value) : typeof value + ' ' + value;
    }
    if (seen.has(value)) return 'as ' + seen.get(value);
    seen.set(value, path);
    lines.push(path + ' extensible ' + Object.isExtensible(value));
    for (const key of Reflect.ownKeys(value)) {
      const { get, set, value: held, ...flags } = Reflect.getOwnPropertyDescriptor(value, key);
      const at = path + '.' + String(key);
      lines.push(at + JSON.stringify(flags) + [held, get, set].map((part) => visit(part, at)));
    }
    visit(Reflect.getPrototypeOf(value), path + '.[[Prototype]]');
    return 'new';
  };
  const patterns = ['input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext', '$1'].map((key) => RegExp[key]);
  visit(globalThis, 'globalThis');
  return { lines, patterns };
`;

async function run(guest: GuestIsolate, code: string): Promise<RunMessage[]> {
  const messages: RunMessage[] = [];
  guest.onMessage = (...message) => messages.push(message);
  await guest.deliver(['start', code, 'safe:{}', JSON.stringify(CONFIG)], 5000);
  return messages;
}

test('guest code finds no trace of a warm-up', async () => {
  prepareSnapshot();
  const fresh = createGuestIsolate(SETTINGS);
  const warm = createGuestIsolate(SETTINGS);
  await warm.warmUp();
  const [expected, found] = [await run(fresh, EVERYTHING), await run(warm, EVERYTHING)];
  expect(expected[0]?.[0]).toBe('end');
  expect(expected[0]?.[1]?.toString().length).toBeGreaterThan(50_000);
  expect(found).toEqual(expected);
  fresh.isolate.dispose();
  warm.isolate.dispose();
});

test('a warm-up sends no messages to the next run', async () => {
  const guest = createGuestIsolate(SETTINGS);
  const warmUp = guest.warmUp();
  await warmUp;
  expect(await run(guest, 'return 1')).toEqual([['end', 'safe:1']]);
  guest.isolate.dispose();
});

test('isolates warm up while nothing runs and another one is ready; warm ones are acquired first', async () => {
  const warm: GuestIsolate[] = [];
  const store = new IsolateStore(SETTINGS, (options) => {
    const guest = createGuestIsolate(options);
    return {
      ...guest,
      warmUp() {
        warm.push(this);
        return guest.warmUp();
      },
    };
  });
  store.refill();
  await delay(100);
  expect(warm).toHaveLength(2);
  const first = store.acquire(SETTINGS.memoryMb);
  // It is not known which of the two was made first.
  expect(warm).toContain(first);
  store.refill();
  await delay(50);
  expect(warm).toHaveLength(2);
  if (first !== undefined) store.release(first);
  await delay(50);
  expect(warm).toHaveLength(3);
  store.close();
});

test.each([0, 1])('with %i prepared, none warms up', async (prepared) => {
  let warmUps = 0;
  const store = new IsolateStore({ ...SETTINGS, prepared }, (options) => ({
    ...createGuestIsolate(options),
    warmUp: async () => void warmUps++,
  }));
  store.refill();
  await delay(50);
  expect(warmUps).toBe(0);
  store.close();
});

test('an isolate that fails its warm-up is never acquired', async () => {
  let made = 0;
  const store = new IsolateStore(SETTINGS, (options) => {
    const guest = createGuestIsolate(options);
    made++;
    const isBad = made === 1;
    return {
      ...guest,
      warmUp: () => (isBad ? Promise.reject(new Error('x')) : guest.warmUp()),
    };
  });
  store.refill();
  await delay(100);
  expect(made).toBe(3);
  expect(store.acquire(SETTINGS.memoryMb)?.isolate.isDisposed).toBe(false);
  expect(store.acquire(SETTINGS.memoryMb)?.isolate.isDisposed).toBe(false);
  store.close();
});
