import type { OutcomeError } from './outcome.ts';

/** The error of a run as JSON has it: a cause that is an error of the host by name and message. */
export function outcomeErrorToJson(error: OutcomeError): object {
  const { cause } = error;
  if (!(cause instanceof Error)) return error;
  return { ...error, cause: { name: cause.name, message: cause.message } };
}
