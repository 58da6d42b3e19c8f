import { describe, expect, test } from 'vitest';

import { limitsSchema } from '../src/limits-schema.ts';
import {
  DEFAULT_LIMITS,
  guestLimitsOf,
  LIMIT_NAMES,
  LIMITS,
  mergeLimits,
  WORKER_CAPS,
} from '../src/limits.ts';
import type { LimitName, LimitRow, Limits, LimitsInput } from '../src/limits.ts';

const rows: readonly [LimitName, LimitRow][] = LIMIT_NAMES.map((name) => [name, LIMITS[name]]);

describe.each(rows)('the row of %s', (name, row) => {
  test('has a default within its range', () => {
    expect(row.default).toBeGreaterThanOrEqual(row.min);
    expect(row.default).toBeLessThanOrEqual(row.max);
    expect(DEFAULT_LIMITS[name]).toBe(row.default);
  });

  test('has a worker cap within its range that is not below the default', () => {
    expect(row.workerCap).toBeGreaterThanOrEqual(row.default);
    expect(row.workerCap).toBeLessThanOrEqual(row.max);
    expect(WORKER_CAPS[name]).toBe(row.workerCap);
  });

  test('has integers only', () => {
    const { min, max, default: usual, workerCap } = row;
    expect([min, max, usual, workerCap].filter((value) => !Number.isSafeInteger(value))).toEqual(
      [],
    );
  });

  test('is enforced by someone, and names each enforcer once', () => {
    expect(row.enforcedBy.length).toBeGreaterThan(0);
    expect(new Set(row.enforcedBy).size).toBe(row.enforcedBy.length);
  });

  test('describes what it counts in a sentence', () => {
    expect(row.counts).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the tables of numbers', () => {
  test.each([
    ['defaults', DEFAULT_LIMITS],
    ['worker caps', WORKER_CAPS],
  ])('of %s have every limit, and are frozen', (_what, column) => {
    expect(Object.keys(column)).toEqual(LIMIT_NAMES);
    expect(Object.isFrozen(column)).toBe(true);
  });

  test('have the same values for CPU time and wall time', () => {
    expect(LIMITS.cpuMs).toMatchObject({
      min: LIMITS.wallMs.min,
      max: LIMITS.wallMs.max,
      default: LIMITS.wallMs.default,
      workerCap: LIMITS.wallMs.workerCap,
    });
  });
});

test('a guest gets exactly the limits that it enforces', () => {
  // Every limit has a different number, so that a mix-up shows.
  const limits = Object.fromEntries(
    LIMIT_NAMES.map((name, index) => [name, index + 1]),
  ) as unknown as Limits;
  const enforced = rows.filter(([, { enforcedBy }]) => enforcedBy.includes('guest'));
  expect(guestLimitsOf(limits)).toEqual(
    Object.fromEntries(enforced.map(([name]) => [name, limits[name]])),
  );
  expect(enforced.map(([name]) => name)).toEqual([
    'variablesBytes',
    'resultBytes',
    'logBytes',
    'toolCalls',
    'toolCallsInFlight',
    'toolArgBytes',
    'toolResultBytes',
  ]);
});

describe('mergeLimits', () => {
  const base: Limits = { ...DEFAULT_LIMITS, wallMs: 1000, cpuMs: 1000, memoryMb: 64 };
  const withOwnCpu: Limits = { ...base, cpuMs: 300 };

  test('returns the base if there is nothing to merge', () => {
    expect(mergeLimits(base, undefined)).toBe(base);
  });

  test.each<[string, Limits, LimitsInput, Partial<Limits>]>([
    ['changes nothing for an empty object', base, {}, {}],
    [
      'replaces the given limits',
      base,
      { memoryMb: 32, toolCalls: 0 },
      { memoryMb: 32, toolCalls: 0 },
    ],
    ['ignores undefined', base, { memoryMb: undefined }, {}],
    ['sets the CPU limit to the wall limit', base, { wallMs: 5000 }, { wallMs: 5000, cpuMs: 5000 }],
    [
      'takes a CPU limit that is given with a wall limit',
      base,
      { wallMs: 5000, cpuMs: 200 },
      { wallMs: 5000, cpuMs: 200 },
    ],
    ['takes a CPU limit alone', base, { cpuMs: 200 }, { cpuMs: 200 }],
    [
      'keeps a CPU limit that differs from the wall limit',
      withOwnCpu,
      { wallMs: 5000 },
      { wallMs: 5000, cpuMs: 300 },
    ],
    [
      'keeps a CPU limit that differs if the given one is undefined',
      withOwnCpu,
      { wallMs: 5000, cpuMs: undefined },
      { wallMs: 5000, cpuMs: 300 },
    ],
    [
      'sets the CPU limit to the wall limit if the given one is undefined',
      base,
      { wallMs: 5000, cpuMs: undefined },
      { wallMs: 5000, cpuMs: 5000 },
    ],
  ])('%s', (_what, before, over, changed) => {
    const copy = { ...before };
    expect(mergeLimits(before, over)).toEqual({ ...before, ...changed });
    expect(before).toEqual(copy);
  });

  test('keeps a CPU limit that an earlier merge set', () => {
    const session = mergeLimits(base, { cpuMs: 200 });
    expect(mergeLimits(session, { wallMs: 5000 })).toMatchObject({ wallMs: 5000, cpuMs: 200 });
  });
});

describe('the schema', () => {
  test('accepts limits of which any are omitted', () => {
    expect(limitsSchema.parse({})).toEqual({});
    expect(limitsSchema.parse(DEFAULT_LIMITS)).toEqual(DEFAULT_LIMITS);
    expect(limitsSchema.parse(WORKER_CAPS)).toEqual(WORKER_CAPS);
  });

  test.each(rows)('accepts %s at both bounds', (name, { min, max }) => {
    for (const value of [min, max]) {
      expect(limitsSchema.parse({ [name]: value })).toEqual({ [name]: value });
    }
  });

  test.each(rows)('refuses %s outside its bounds; the message has unit and range', (name, row) => {
    const { unit, min, max } = row;
    const wrong = [min - 1, max + 1, min + 0.5, NaN, Infinity, String(min), null];
    for (const value of wrong) {
      const { error } = limitsSchema.safeParse({ [name]: value });
      expect(error?.issues.map(({ path, message }) => ({ path, message }))).toEqual([
        { path: [name], message: `${name} is in ${unit}, from ${min} to ${max}` },
      ]);
    }
  });

  test('refuses an unknown limit', () => {
    const { error } = limitsSchema.safeParse({ wallms: 1000 });
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['wallms'] }]);
  });
});
