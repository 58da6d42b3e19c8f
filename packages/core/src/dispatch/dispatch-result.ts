import type { LogEntry } from '../executor/outcome.ts';
import type { OutcomeCode } from '../shared/errors.ts';
import type { SchemaFault } from '../tools/validation.ts';
import { DISPATCH_KINDS } from './dispatch-kinds.ts';
import type { DispatchKind } from './dispatch-kinds.ts';

/** What became of a dispatch: the tool's value, or an error as data. */
export type DispatchResult<T = unknown> = DispatchOk<T> | DispatchFailed;

interface DispatchCommon {
  /** How often the tool was called for this; 0 where another call's result is passed on. */
  readonly attempts: number;
  /** From `dispatch` to the result, in milliseconds, waits for a person included. */
  readonly durationMs: number;
  /** What the source of an untrusted tool wrote to `console` in its last attempt. */
  readonly logs?: readonly LogEntry[];
}

export interface DispatchOk<T = unknown> extends DispatchCommon {
  readonly ok: true;
  readonly value: T;
  /** Whether the value is that of an earlier call with the same idempotency key. */
  readonly cached: boolean;
}

export interface DispatchFailed extends DispatchCommon {
  readonly ok: false;
  readonly error: DispatchError;
}

/** Why a dispatch failed, as plain data. */
export interface DispatchError {
  readonly kind: DispatchKind;
  /** JSON-RPC code of the kind. */
  readonly code: number;
  readonly message: string;
  /** How often the tool was called; 0 where it never was. */
  readonly attempts: number;
  /** Whether the same call may go well another time, with nothing changed. */
  readonly retryable: boolean;
  /** What does not fit a schema, for `schema` and `output_schema`. */
  readonly faults?: readonly SchemaFault[];
  /** Name, code and details of the error that the tool threw. */
  readonly name?: string;
  readonly toolCode?: string | number;
  readonly details?: unknown;
  /** How the run of an untrusted tool ended. */
  readonly outcomeCode?: OutcomeCode;
  /** Where lies what is no data, such as `.rows[3].when`, for `unserializable`. */
  readonly path?: string;
}

/** What a failure adds to its kind and message. */
type FailureFacts = Pick<
  DispatchError,
  'faults' | 'name' | 'toolCode' | 'details' | 'outcomeCode' | 'path'
>;

/** A failure before it is known after how many attempts it came. */
export interface Failure extends FailureFacts {
  readonly kind: DispatchKind;
  readonly message: string;
}

export function completeError(
  failure: Failure,
  attempts: number,
  isIdempotent: boolean,
): DispatchError {
  const { kind, message, ...facts } = failure;
  const { jsonRpcCode, retryable } = DISPATCH_KINDS[kind];
  return {
    kind,
    code: jsonRpcCode,
    message,
    attempts,
    retryable: retryable === 'idempotent' ? isIdempotent : retryable,
    ...facts,
  };
}

/** An error object as JSON-RPC has it. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Omit<DispatchError, 'code' | 'message'>;
}

export function toJsonRpcError({ code, message, ...data }: DispatchError): JsonRpcError {
  return { code, message, data };
}
