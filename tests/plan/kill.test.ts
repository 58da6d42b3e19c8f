import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { replaySession } from '@glovebox/core';
import { afterAll, describe, expect, test } from 'vitest';

import { eventsOf, outline } from '../support/plan.ts';
import { runScript } from '../support/script.ts';
import { effectsIn, GOAL, SESSION, storeIn, tenStepsAgent } from '../support/ten-steps.ts';
import type { StoreKind } from '../support/ten-steps.ts';

const root = mkdtempSync(path.join(tmpdir(), 'glovebox-kill-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = (): string => mkdtempSync(path.join(root, 'run-'));

const whole = newFolder();
const undisturbed = await tenStepsAgent(whole, storeIn(whole, 'file')).run(GOAL, {
  sessionId: SESSION,
});
const sends = (folder: string): string[] =>
  effectsIn(folder).filter((effect) => effect.startsWith('send '));
const puts = (folder: string): string[] =>
  effectsIn(folder).filter((effect) => effect.startsWith('put '));

test('the session has ten steps, one of which is cached, a replan and a gather', () => {
  expect(undisturbed.reason).toBe('goal_met');
  expect(undisturbed.history).toHaveLength(11);
  expect(undisturbed.history.filter(({ cached }) => cached).map(({ id }) => id)).toEqual([2]);
  expect(undisturbed.revisions).toHaveLength(1);
  expect([sends(whole).length, puts(whole).length]).toEqual([6, 3]);
});

const kills = undisturbed.events.map(({ seq }) => seq);
describe.each<[StoreKind, 'before' | 'after', number[]]>([
  ['file', 'before', kills],
  ['file', 'after', kills.slice(0, -1)],
  ['sqlite', 'before', kills.filter((seq) => seq % 3 === 0)],
])('%s store, killed %s an event is written', (kind, when, places) => {
  test.each(places)('event %i', async (seq) => {
    const folder = newFolder();
    const { signal } = await runScript('tests/fixtures/ten-steps.ts', [
      folder,
      kind,
      when,
      String(seq),
    ]);
    expect(signal).toBe('SIGKILL');
    const store = storeIn(folder, kind);
    const before = await replaySession(store, SESSION);
    expect(before.events).toHaveLength(when === 'before' ? seq - 1 : seq);

    const result = await tenStepsAgent(folder, store).resume(SESSION);
    expect(result.reason).toBe('goal_met');
    expect(result.history.map(({ id, error }) => [id, error])).toEqual(
      undisturbed.history.map(({ id, error }) => [id, error]),
    );
    expect(result.revisions).toEqual(undisturbed.revisions);

    // Each side effect exactly once; those that may come twice come twice only where that is told.
    expect(sends(folder).toSorted()).toEqual(sends(whole).toSorted());
    expect(new Set(puts(folder))).toEqual(new Set(puts(whole)));
    const [resumed] = eventsOf(result.events, 'session.resume');
    const again = resumed?.payload.inFlight.filter(({ action }) => action === 'run_again') ?? [];
    const more = puts(folder).length - puts(whole).length;
    expect(more).toBeLessThanOrEqual(again.length);

    // What was written stays, and reading it again says the same.
    expect(result.events.slice(0, before.events.length)).toEqual(before.events);
    expect((await replaySession(store, SESSION)).events).toEqual(result.events);
    const ran = outline(result.events).filter((line) => /^step\.end \d+ ok$/.test(line));
    expect(new Set(ran).size).toBe(ran.length);
  });
});
