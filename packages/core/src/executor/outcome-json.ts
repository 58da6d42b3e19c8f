import type { OutcomeError } from './outcome.ts';

/** The error of a run for JSON: a cause that is an `Error` is reduced to name and message. */
export function outcomeErrorToJson(error: OutcomeError): object {
  const { cause } = error;
  if (!(cause instanceof Error)) return error;
  return { ...error, cause: { name: cause.name, message: cause.message } };
}
