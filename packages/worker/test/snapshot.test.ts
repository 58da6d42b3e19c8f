import { DEFAULT_LIMITS, guestLimitsOf } from '@glovebox/protocol/limits';
import { expect, test } from 'vitest';

import { createGuestIsolate, prepareSnapshot } from '../src/slot/guest-isolate.ts';

const DEFAULTS = { memoryMb: 32, features: [] };
const CONFIG = JSON.stringify({
  filename: 'guest.js',
  tools: [],
  declare: [],
  ...guestLimitsOf(DEFAULT_LIMITS),
  deterministic: null,
});

async function evaluate(code: string): Promise<unknown[]> {
  const guest = createGuestIsolate(DEFAULTS);
  const message = new Promise<unknown[]>((resolve) => {
    guest.onMessage = (...parts) => resolve(parts);
  });
  await guest.deliver(['start', code, 'safe:{}', CONFIG], 1000);
  const answer = await message;
  guest.isolate.dispose();
  return answer;
}

// Everything that a context lacks while its snapshot is made has to be there afterwards.
const PROGRAM = `return [
  Object.getOwnPropertyNames(globalThis).toSorted(),
  typeof Error.isError, typeof SuppressedError, typeof Float16Array,
  new Float16Array([1.5]), new Error('x') instanceof Error, new Uint8Array([1, 2, 3]),
]`;

test('an isolate from the snapshot is as one that compiles the runtime', async () => {
  const compiled = await evaluate(PROGRAM);
  expect(compiled[0]).toBe('end');
  expect(prepareSnapshot()).toBe(true);
  expect(await evaluate(PROGRAM)).toEqual(compiled);
});
