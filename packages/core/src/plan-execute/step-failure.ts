import type { DispatchKind } from '../dispatch/dispatch-kinds.ts';
import type { DispatchError } from '../dispatch/dispatch-result.ts';

/** Why a step failed, as data. */
export interface StepFailure extends Omit<
  DispatchError,
  'kind' | 'code' | 'attempts' | 'retryable'
> {
  /**
   * As the dispatcher has it, or: `reference`, a reference of its arguments names nothing;
   * `in_flight`, it was under way when its session stopped, and may have been carried out;
   * `cancelled`, its gather was decided without it.
   */
  readonly kind: DispatchKind | 'reference' | 'in_flight' | 'cancelled';
}

const TITLES = {
  reference: 'ReferenceFault',
  in_flight: 'InFlight',
  cancelled: 'Cancelled',
} as const;

/** A failure as one line: the name of the error, or its kind, and its message. */
export function failureText({ name, kind, message }: StepFailure): string {
  const title = name ?? (kind in TITLES ? TITLES[kind as keyof typeof TITLES] : kind);
  return `${title}: ${message}`;
}

export function failureOfDispatch(error: DispatchError): StepFailure {
  const { code: _code, attempts: _attempts, retryable: _retryable, ...failure } = error;
  return failure;
}
