import type { LogEntry } from '../executor/outcome.ts';
import type { OutcomeCode } from '../shared/errors.ts';
import type { SchemaFault } from '../tools/validation.ts';
import { DISPATCH_KINDS } from './dispatch-kinds.ts';
import type { DispatchKind } from './dispatch-kinds.ts';

/** The result of a dispatch: the tool's value, or an error as data. */
export type DispatchResult<T = unknown> = DispatchOk<T> | DispatchFailed;

interface DispatchCommon {
  /** How often this dispatch called the tool; 0 if it got the result of another call. */
  readonly attempts: number;
  /** Time from `dispatch` to the result, in milliseconds. Includes waiting for approval. */
  readonly durationMs: number;
  /** What the source of an untrusted tool wrote to `console` in its last attempt. */
  readonly logs?: readonly LogEntry[];
}

export interface DispatchOk<T = unknown> extends DispatchCommon {
  readonly ok: true;
  readonly value: T;
  /** Whether the value comes from another call with the same idempotency key. */
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
  /** How often this dispatch called the tool. */
  readonly attempts: number;
  /** Whether the same call, without any change, may succeed later. */
  readonly retryable: boolean;
  /** The violations of the schema, for `schema` and `output_schema`. */
  readonly faults?: readonly SchemaFault[];
  /** Name of the error that the tool threw. */
  readonly name?: string;
  /** Code of the error that the tool threw. */
  readonly toolCode?: string | number;
  /** Details of the error that the tool threw. */
  readonly details?: unknown;
  /** The error code of the run of an untrusted tool. */
  readonly outcomeCode?: OutcomeCode;
  /** Path of the value that is not data, such as `.rows[3].when`, for `unserializable`. */
  readonly path?: string;
}

/** Fields of a failure besides kind and message. */
type FailureFacts = Pick<
  DispatchError,
  'faults' | 'name' | 'toolCode' | 'details' | 'outcomeCode' | 'path'
>;

/** A failure, before the fields that derive from its kind and the number of attempts are added. */
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

/** A JSON-RPC error object. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data: Omit<DispatchError, 'code' | 'message'>;
}

export function toJsonRpcError({ code, message, ...data }: DispatchError): JsonRpcError {
  return { code, message, data };
}
