import { Executor } from '@glovebox/core';
import type { Outcome, OutcomeCode } from '@glovebox/core';
import { beforeAll, describe, expect, test } from 'vitest';

import { withGrace } from '../support/calibration.ts';
import { fakeHosts } from '../support/fake-host.ts';

const WALL_MS = 400;
const AMPLE_MS = 30_000;

/** Runs one program in a fake host; two outcomes, or none, fail. */
async function runIn(
  what: string,
  wallMs: number,
): Promise<{ readonly outcome: Outcome; readonly graceMs: number }> {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, ...fakeHosts(what) });
  await executor.ready();
  const { result: outcome, graceMs } = await withGrace(() =>
    executor.run({
      code: 'return 1',
      tools: { tool: () => 1 },
      limits: { wallMs, toolCalls: 5, logBytes: 1000 },
    }),
  );
  return { outcome, graceMs };
}

const MISDEEDS: readonly [what: string, code: OutcomeCode][] = [
  ['garbage bytes', 'PROTOCOL_ERROR'],
  ['a frame that is too long', 'PROTOCOL_ERROR'],
  ['a header longer than its frame', 'PROTOCOL_ERROR'],
  ['half a frame, then the end', 'HOST_LOST'],
  ['a header that is no JSON', 'PROTOCOL_ERROR'],
  ['an unknown type', 'PROTOCOL_ERROR'],
  ['a field too many', 'PROTOCOL_ERROR'],
  ['a field too few', 'PROTOCOL_ERROR'],
  ['a field of another type', 'PROTOCOL_ERROR'],
  ['a negative number', 'PROTOCOL_ERROR'],
  ['the end of a run that is not there', 'PROTOCOL_ERROR'],
  ['a log of a run that is not there', 'PROTOCOL_ERROR'],
  ['that it is ready once more', 'PROTOCOL_ERROR'],
  ['that it is ready, as a slot', 'PROTOCOL_ERROR'],
  ['an end, as the host', 'PROTOCOL_ERROR'],
  ['garbage bytes as the host', 'PROTOCOL_ERROR'],
  ['a value that is no safe: text', 'PROTOCOL_ERROR'],
  ['a value with an unknown tag', 'PROTOCOL_ERROR'],
  ['a failure that is no JSON', 'PROTOCOL_ERROR'],
  ['a failure with a field too many', 'PROTOCOL_ERROR'],
  ['a syntax error that is none', 'PROTOCOL_ERROR'],
  ['a call of a tool that was not lent', 'PROTOCOL_ERROR'],
  ['one call twice', 'PROTOCOL_ERROR'],
  ['arguments that cannot be read', 'PROTOCOL_ERROR'],
  ['more calls than allowed', 'TOOL_CALL_LIMIT'],
  ['logs without end', 'PROTOCOL_ERROR'],
  ['nothing', 'WALL_LIMIT'],
  ['that it failed', 'HOST_LOST'],
];

describe('a host that breaks the protocol', () => {
  /** What a run takes in a host that keeps to it, on this machine at this moment. */
  let honestMs: number;
  beforeAll(async () => {
    const { outcome } = await runIn('an end, and then another one', AMPLE_MS);
    honestMs = outcome.usage.wallMs;
  });

  test.each(MISDEEDS)('by sending %s is killed, and the run is told', async (what, code) => {
    const isSilent = code === 'WALL_LIMIT';
    const { outcome, graceMs } = await runIn(what, isSilent ? WALL_MS : AMPLE_MS);
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    // What it sends is heard as soon as a value would be.
    const dueMs = isSilent ? WALL_MS : Math.max(WALL_MS, 20 * honestMs);
    expect(outcome.usage.wallMs).toBeLessThan(dueMs + graceMs);
    const logged = outcome.logs.reduce((sum, { text }) => sum + text.length, 0);
    expect(logged).toBeLessThan(3000);
  });

  test('cannot take back a value, or end a run twice', async () => {
    const { outcome } = await runIn('an end, and then another one', AMPLE_MS);
    expect(outcome).toMatchObject({ ok: true, value: 1 });
  });
});

test('hosts that send frames at random never hang, fool or pollute their parent', async () => {
  const seeds = Array.from({ length: 60 }, (_, seed) => seed + 1);
  const codes = new Map<string, number>();
  const next = async (): Promise<void> => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) {
      const { outcome, graceMs } = await runIn(`random:${seed}`, WALL_MS);
      expect(outcome.usage.wallMs).toBeLessThan(WALL_MS + graceMs);
      const code = outcome.ok ? 'value' : outcome.error.code;
      codes.set(code, (codes.get(code) ?? 0) + 1);
    }
  };
  await Promise.all([next(), next()]);
  expect([...codes.values()].reduce((sum, count) => sum + count, 0)).toBe(60);
  // A fuzzer that only ever sees one answer has not tried much.
  expect(codes.size).toBeGreaterThanOrEqual(4);
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect('polluted' in {}).toBe(false);
});
