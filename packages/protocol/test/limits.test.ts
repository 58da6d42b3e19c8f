import { describe, expect, test } from 'vitest';

import {
  DEFAULT_LIMITS,
  guestLimitsOf,
  LIMIT_NAMES,
  LIMITS,
  mergeLimits,
  WORKER_CAPS,
} from '../src/limits.ts';
import type { LimitName, LimitRow, Limits, LimitsInput } from '../src/limits.ts';
import { limitsSchema } from '../src/limits-schema.ts';

const rows: readonly [LimitName, LimitRow][] = LIMIT_NAMES.map((name) => [name, LIMITS[name]]);

describe.each(rows)('the row of %s', (name, row) => {
  test('has a default within its range', () => {
    expect(row.default).toBeGreaterThanOrEqual(row.min);
    expect(row.default).toBeLessThanOrEqual(row.max);
    expect(DEFAULT_LIMITS[name]).toBe(row.default);
  });

  test('has a cap of workers within its range, which the default fits', () => {
    expect(row.workerCap).toBeGreaterThanOrEqual(row.default);
    expect(row.workerCap).toBeLessThanOrEqual(row.max);
    expect(WORKER_CAPS[name]).toBe(row.workerCap);
  });

  test('has whole numbers', () => {
    const { min, max, default: usual, workerCap } = row;
    expect([min, max, usual, workerCap].filter((value) => !Number.isSafeInteger(value))).toEqual(
      [],
    );
  });

  test('has a keeper, and each of them once', () => {
    expect(row.enforcedBy.length).toBeGreaterThan(0);
    expect(new Set(row.enforcedBy).size).toBe(row.enforcedBy.length);
  });

  test('says what is counted, in a sentence', () => {
    expect(row.counts).toMatch(/^[A-Z].*\.$/);
  });
});

describe('the columns', () => {
  test.each([
    ['defaults', DEFAULT_LIMITS],
    ['caps of workers', WORKER_CAPS],
  ])('of %s have each limit, and nobody changes them', (_what, column) => {
    expect(Object.keys(column)).toEqual(LIMIT_NAMES);
    expect(Object.isFrozen(column)).toBe(true);
  });

  test('of CPU time are those of wall time, which it follows', () => {
    expect(LIMITS.cpuMs).toMatchObject({
      min: LIMITS.wallMs.min,
      max: LIMITS.wallMs.max,
      default: LIMITS.wallMs.default,
      workerCap: LIMITS.wallMs.workerCap,
    });
  });
});

test('a guest is told the limits that it keeps itself, and no others', () => {
  // Each has a number of its own, so that none stands in for another.
  const limits = Object.fromEntries(
    LIMIT_NAMES.map((name, index) => [name, index + 1]),
  ) as unknown as Limits;
  const kept = rows.filter(([, { enforcedBy }]) => enforcedBy.includes('guest'));
  expect(guestLimitsOf(limits)).toEqual(
    Object.fromEntries(kept.map(([name]) => [name, limits[name]])),
  );
  expect(kept.map(([name]) => name)).toEqual([
    'variablesBytes',
    'resultBytes',
    'logBytes',
    'toolCalls',
    'toolCallsInFlight',
    'toolArgBytes',
    'toolResultBytes',
  ]);
});

describe('limits that are merged', () => {
  const base: Limits = { ...DEFAULT_LIMITS, wallMs: 1000, cpuMs: 1000, memoryMb: 64 };
  const withOwnCpu: Limits = { ...base, cpuMs: 300 };

  test('with none are the same ones', () => {
    expect(mergeLimits(base, undefined)).toBe(base);
  });

  test.each<[string, Limits, LimitsInput, Partial<Limits>]>([
    ['with an empty object stay', base, {}, {}],
    ['take what is given', base, { memoryMb: 32, toolCalls: 0 }, { memoryMb: 32, toolCalls: 0 }],
    ['are not changed by what is given as undefined', base, { memoryMb: undefined }, {}],
    ['have CPU time follow the wall limit', base, { wallMs: 5000 }, { wallMs: 5000, cpuMs: 5000 }],
    [
      'have the CPU time that is given with a wall limit',
      base,
      { wallMs: 5000, cpuMs: 200 },
      { wallMs: 5000, cpuMs: 200 },
    ],
    ['have the CPU time that is given alone', base, { cpuMs: 200 }, { cpuMs: 200 }],
    ['keep a CPU time of their own', withOwnCpu, { wallMs: 5000 }, { wallMs: 5000, cpuMs: 300 }],
    [
      'keep a CPU time of their own where it is given as undefined',
      withOwnCpu,
      { wallMs: 5000, cpuMs: undefined },
      { wallMs: 5000, cpuMs: 300 },
    ],
    [
      'have a CPU time that is given as undefined follow',
      base,
      { wallMs: 5000, cpuMs: undefined },
      { wallMs: 5000, cpuMs: 5000 },
    ],
  ])('%s', (_what, before, over, changed) => {
    const copy = { ...before };
    expect(mergeLimits(before, over)).toEqual({ ...before, ...changed });
    expect(before).toEqual(copy);
  });

  test('twice: CPU time that was given once follows no more', () => {
    const session = mergeLimits(base, { cpuMs: 200 });
    expect(mergeLimits(session, { wallMs: 5000 })).toMatchObject({ wallMs: 5000, cpuMs: 200 });
  });
});

describe('the schema', () => {
  test('takes limits of which any are left out', () => {
    expect(limitsSchema.parse({})).toEqual({});
    expect(limitsSchema.parse(DEFAULT_LIMITS)).toEqual(DEFAULT_LIMITS);
    expect(limitsSchema.parse(WORKER_CAPS)).toEqual(WORKER_CAPS);
  });

  test.each(rows)('takes %s from its least to its most', (name, { min, max }) => {
    for (const value of [min, max]) {
      expect(limitsSchema.parse({ [name]: value })).toEqual({ [name]: value });
    }
  });

  test.each(rows)('refuses %s beyond that, and says unit and range', (name, row) => {
    const { unit, min, max } = row;
    const wrong = [min - 1, max + 1, min + 0.5, NaN, Infinity, String(min), null];
    for (const value of wrong) {
      const { error } = limitsSchema.safeParse({ [name]: value });
      expect(error?.issues.map(({ path, message }) => ({ path, message }))).toEqual([
        { path: [name], message: `${name} is in ${unit}, from ${min} to ${max}` },
      ]);
    }
  });

  test('refuses a limit that there is not', () => {
    const { error } = limitsSchema.safeParse({ wallms: 1000 });
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['wallms'] }]);
  });
});
