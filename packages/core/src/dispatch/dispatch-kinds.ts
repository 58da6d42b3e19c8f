interface DispatchKindFacts {
  /** When a dispatch fails with this kind. */
  readonly when: string;
  /** The error code of JSON-RPC: https://www.jsonrpc.org/specification */
  readonly jsonRpcCode: number;
  /**
   * Whether the same call, without any change, may succeed later. `idempotent`: only if the tool is
   * idempotent.
   */
  readonly retryable: boolean | 'idempotent';
  /** Whether the failure is a fault of the tool, so that its circuit breaker counts it. */
  readonly isFault: boolean;
}

/** Every way in which a dispatch can fail. A test compares `docs/tools.md` with this table. */
export const DISPATCH_KINDS = {
  invalid_request: {
    when: 'The request itself is malformed.',
    jsonRpcCode: -32_600,
    retryable: false,
    isFault: false,
  },
  not_found: {
    when: 'No tool has that name.',
    jsonRpcCode: -32_601,
    retryable: false,
    isFault: false,
  },
  schema: {
    when: 'The arguments do not fit the schema of the tool.',
    jsonRpcCode: -32_602,
    retryable: false,
    isFault: false,
  },
  idempotency_conflict: {
    when: 'The idempotency key was used for another tool or other arguments.',
    jsonRpcCode: -32_602,
    retryable: false,
    isFault: false,
  },
  recursion: {
    when: 'The tool is already running in this chain of calls, or the chain is too long.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
  budget_exceeded: {
    when: 'The budget of calls is used up.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
  denied: {
    when: 'The call needs approval and did not get it.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
  circuit_open: {
    when: 'The tool failed repeatedly, and its circuit breaker is open.',
    jsonRpcCode: -32_603,
    retryable: true,
    isFault: false,
  },
  timeout: {
    when: 'An attempt exceeded its time limit.',
    jsonRpcCode: -32_603,
    retryable: 'idempotent',
    isFault: true,
  },
  transient: {
    when: 'The tool threw a TransientError, or its source was never started.',
    jsonRpcCode: -32_603,
    retryable: true,
    isFault: true,
  },
  internal: {
    when: 'The tool failed.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: true,
  },
  output_schema: {
    when: 'The result does not fit the output schema of the tool.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
  unserializable: {
    when: 'The arguments or the result are not data, such as a function, or are too large.',
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
  aborted: {
    when: "The caller's signal ended the call.",
    jsonRpcCode: -32_603,
    retryable: false,
    isFault: false,
  },
} as const satisfies Record<string, DispatchKindFacts>;

export type DispatchKind = keyof typeof DISPATCH_KINDS;
