import type { Outcome, OutcomeCode, OutcomeError } from '@glovebox/core';
import { expect } from 'vitest';

/** How a program must end. */
export type Expected =
  | { readonly value: unknown }
  /** Where more than one end is right, and something else is what counts. */
  | { readonly endsIn: readonly ('value' | OutcomeCode)[] }
  | ({ readonly error: OutcomeCode } & Partial<Omit<OutcomeError, 'code'>>);

/** Asserts how an outcome ended: exactly this value, or this code with these facts. */
export function expectOutcome(outcome: Outcome, expected: Expected): void {
  if ('value' in expected) {
    // The error says more than that there was one.
    expect(outcome).toMatchObject({ ok: true });
    if (outcome.ok) expect(outcome.value).toStrictEqual(expected.value);
    return;
  }
  if ('endsIn' in expected) {
    expect(expected.endsIn).toContain(outcome.ok ? 'value' : outcome.error.code);
    return;
  }
  const { error: code, ...facts } = expected;
  expect(outcome).toMatchObject({ ok: false, error: { code, ...facts } });
}
