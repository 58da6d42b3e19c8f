import type { PlanEvent } from '@glovebox/core';
import { expect } from 'vitest';

import { MemoryStore } from './memory-store.ts';
import { agentOf } from './plan.ts';
import type { AgentSetup } from './plan.ts';

/** A store that holds a session as it was when the event was written. */
export async function cutAfter(
  setup: AgentSetup,
  isLast: (event: PlanEvent) => boolean,
): Promise<MemoryStore> {
  const store = new MemoryStore();
  const { events } = await agentOf({ ...setup, store }).run('goal', { sessionId: 's' });
  const place = events.findIndex(isLast);
  expect(place).toBeGreaterThanOrEqual(0);
  // The header is the first line.
  store.sessions.get('s')?.splice(place + 2);
  return store;
}

/** Tells the beginning of a step. */
export const startOf =
  (id: number) =>
  (event: PlanEvent): boolean =>
    event.type === 'step.start' && event.payload.stepId === id;
