interface DispatchKindFacts {
  /** When it is given. */
  readonly when: string;
  /** Code of https://www.jsonrpc.org/specification. */
  readonly jsonRpcCode: number;
  /**
   * Whether the same call may go well another time, with nothing changed; `idempotent`: where the
   * tool says that calling it twice does no harm.
   */
  readonly retryable: boolean | 'idempotent';
  /** Whether it tells against the health of the tool, and so counts for its circuit breaker. */
  readonly isFault: boolean;
}

/** Every way in which a dispatch can fail. `docs/tools.md` is checked against this table. */
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
    when: 'The tool is under way already in this chain of calls, or the chain is too long.',
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
    when: 'The tool failed again and again of late, and is left alone for a while.',
    jsonRpcCode: -32_603,
    retryable: true,
    isFault: false,
  },
  timeout: {
    when: 'An attempt took longer than it may.',
    jsonRpcCode: -32_603,
    retryable: 'idempotent',
    isFault: true,
  },
  transient: {
    when: 'The tool says that it may go well another time, or its source was never begun.',
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
    when: 'The arguments or the result hold what is no data, such as a function, or too much of it.',
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
