import type { DispatchKind } from '../dispatch/dispatch-kinds.ts';
import type { DispatchError } from '../dispatch/dispatch-result.ts';

/** Why a step failed, as data. */
export interface StepFailure extends Omit<
  DispatchError,
  'kind' | 'code' | 'attempts' | 'retryable'
> {
  /**
   * A kind of the dispatcher, or one of these. `reference`: a reference in the arguments does not
   * refer to anything. `in_flight`: the step was running when its session stopped, and may have
   * taken effect. `cancelled`: the result of its gather was decided without it.
   */
  readonly kind: DispatchKind | 'reference' | 'in_flight' | 'cancelled';
}

const TITLES = {
  reference: 'ReferenceFault',
  in_flight: 'InFlight',
  cancelled: 'Cancelled',
} as const;

/** A failure as text: the name of the error or its kind, and the message. */
export function failureText({ name, kind, message }: StepFailure): string {
  const title = name ?? (kind in TITLES ? TITLES[kind as keyof typeof TITLES] : kind);
  return `${title}: ${message}`;
}

export function failureOfDispatch(error: DispatchError): StepFailure {
  const { code: _code, attempts: _attempts, retryable: _retryable, ...failure } = error;
  return failure;
}
