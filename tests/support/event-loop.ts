import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Resolves when all promises have settled that wait for no timer and for no input or output. A
 * dispatcher reaches its tool, or its question to a person, by then.
 */
export async function flushMicrotasks(): Promise<void> {
  await nextTurn();
}
