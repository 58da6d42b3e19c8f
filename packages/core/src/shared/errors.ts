/** What is thrown by methods and constructors: each is the caller's to mend. */
const MISUSE = {
  INVALID_OPTIONS: 'An option has the wrong type, unit or range.',
  INVALID_NAME: 'A variable or tool has a name that guest code could not use.',
  UNSERIALIZABLE_VARIABLES: 'A variable cannot cross to the guest exactly.',
  EXECUTOR_CLOSED: 'The executor was closed.',
  DUPLICATE_TOOL: 'The registry has a tool of that name already.',
  UNKNOWN_TOOL: 'The registry has no tool of that name.',
  INVALID_SCHEMA: "A tool's schema is broken, or cannot be written as JSON Schema.",
  SESSION_LIMIT: 'As many sessions are open as the executor allows.',
  POOL_UNAVAILABLE: 'No host or thread could be started.',
  PLAN_SESSION_EXISTS: 'The store has a session of that name already.',
  PLAN_SESSION_UNKNOWN: 'The store has no session of that name.',
  PLAN_SESSION_BUSY: 'Another process, or another run in this one, is writing the session.',
  PLAN_LOG_CORRUPT: 'The log of the session is broken.',
  AGENT_BUSY: 'The agent is at work on another task.',
  AGENT_FOLDER_INVALID: 'The folder of an agent is malformed, or holds what does not belong there.',
  AGENT_PARTS_MISSING: 'A saved agent needs models, tools or functions that were not given.',
} as const;

export type MisuseCode = keyof typeof MISUSE;

const brand = Symbol.for('glovebox.error');

/**
 * The error that Glovebox throws. What a guest or a host does is never thrown: it is an outcome.
 * Recognise it by `isGloveboxError`, which also works across copies of the package.
 */
export class GloveboxError extends Error {
  override readonly name = 'GloveboxError';
  readonly code: MisuseCode;
  /** Where in the given value the fault lies, such as `limits.memoryMb` or `.rows[3].when`. */
  readonly path: string | undefined;

  constructor(code: MisuseCode, message: string, options?: { path?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
    Object.defineProperty(this, brand, { value: true });
  }
}

export function isGloveboxError(value: unknown): value is GloveboxError {
  return typeof value === 'object' && value !== null && brand in value;
}

interface OutcomeCodeFacts {
  /** When it is given. */
  readonly when: string;
  /** Whether the same run may go well another time, with nothing changed. */
  readonly retryable: boolean;
}

/** Every way in which a run can fail. `docs/errors.md` is checked against this table. */
export const OUTCOME_CODES = {
  GUEST_ERROR: { when: 'The code threw.', retryable: false },
  SYNTAX_ERROR: { when: 'The code does not compile.', retryable: false },
  WALL_LIMIT: { when: 'The time for the run was up.', retryable: false },
  CPU_LIMIT: { when: 'The CPU time for the run was used up.', retryable: false },
  MEMORY_LIMIT: { when: 'The code asked for more memory than allowed.', retryable: false },
  SOURCE_LIMIT: { when: 'The source is larger than allowed.', retryable: false },
  VARIABLES_LIMIT: { when: 'The variables are larger than allowed.', retryable: false },
  RESULT_LIMIT: { when: 'The result is larger or deeper than allowed.', retryable: false },
  TOOL_CALL_LIMIT: { when: 'The code called tools more often than allowed.', retryable: false },
  TOOL_DATA_LIMIT: {
    when: 'The arguments or the result of a tool call are larger than allowed.',
    retryable: false,
  },
  UNSERIALIZABLE_RESULT: { when: 'The result holds what cannot cross.', retryable: false },
  ABORTED: {
    when: "The caller's signal, or closing the executor, ended the run.",
    retryable: false,
  },
  QUEUE_FULL: { when: 'As many runs wait as the queue holds.', retryable: true },
  QUEUE_TIMEOUT: { when: 'The run waited for a free slot for too long.', retryable: true },
  HOST_LOST: {
    when: "The host died of something that is not this run's doing.",
    retryable: true,
  },
  QUARANTINED: { when: 'This code has just killed hosts repeatedly.', retryable: true },
  SESSION_UNKNOWN: { when: 'The session was closed.', retryable: false },
  SESSION_LOST: { when: "The session's isolate died, and its state with it.", retryable: false },
  PROTOCOL_ERROR: { when: 'The other side broke the protocol; it was killed.', retryable: true },
} as const satisfies Record<string, OutcomeCodeFacts>;

export type OutcomeCode = keyof typeof OUTCOME_CODES;

/** When each misuse error is thrown. `docs/errors.md` is checked against this table. */
export const MISUSE_CODES: Readonly<Record<MisuseCode, string>> = MISUSE;
