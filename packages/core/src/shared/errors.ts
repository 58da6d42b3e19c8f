/** Errors that methods and constructors throw. Each is caused by a mistake of the caller. */
const MISUSE = {
  INVALID_OPTIONS: 'An option has the wrong type, unit or range.',
  INVALID_NAME: 'A variable or tool has a name that guest code cannot use.',
  UNSERIALIZABLE_VARIABLES: 'A variable contains a value that cannot be serialized exactly.',
  EXECUTOR_CLOSED: 'The executor was closed.',
  DUPLICATE_TOOL: 'The registry already has a tool of that name.',
  UNKNOWN_TOOL: 'The registry has no tool of that name.',
  INVALID_SCHEMA: "A tool's schema is invalid, or cannot be converted to JSON Schema.",
  SESSION_LIMIT: 'The maximum number of sessions is already open.',
  POOL_UNAVAILABLE: 'No host or thread could be started.',
  PLAN_SESSION_EXISTS: 'The store already has a session of that name.',
  PLAN_SESSION_UNKNOWN: 'The store has no session of that name.',
  PLAN_SESSION_BUSY: 'Another process, or another run in this one, is writing the session.',
  PLAN_LOG_CORRUPT: 'The log of the session is corrupt.',
  AGENT_BUSY: 'The agent is working on another task.',
  AGENT_FOLDER_INVALID: 'The folder of an agent is malformed, or contains something unexpected.',
  AGENT_PARTS_MISSING: 'A saved agent needs models, tools or functions that were not given.',
} as const;

export type MisuseCode = keyof typeof MISUSE;

const brand = Symbol.for('glovebox.error');

/**
 * The error that Glovebox throws when it is used incorrectly. What a guest or a host does is never
 * thrown: it is an outcome. Test for it with `isGloveboxError`, which also recognises errors of
 * another copy of the package.
 */
export class GloveboxError extends Error {
  override readonly name = 'GloveboxError';
  readonly code: MisuseCode;
  /** Path of the fault in the given value, such as `limits.memoryMb` or `.rows[3].when`. */
  readonly path: string | undefined;

  constructor(code: MisuseCode, message: string, options?: { path?: string; cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.path = options?.path;
    Object.defineProperty(this, brand, { value: true });
  }
}

/** Whether a value is a {@link GloveboxError}, possibly of another copy of the package. */
export function isGloveboxError(value: unknown): value is GloveboxError {
  return typeof value === 'object' && value !== null && brand in value;
}

interface OutcomeCodeFacts {
  /** When an outcome has this code. */
  readonly when: string;
  /** Whether the same run, without any change, may succeed later. */
  readonly retryable: boolean;
}

/** Every way in which a run can fail. A test compares `docs/errors.md` with this table. */
export const OUTCOME_CODES = {
  GUEST_ERROR: { when: 'The code threw.', retryable: false },
  SYNTAX_ERROR: { when: 'The code does not compile.', retryable: false },
  WALL_LIMIT: { when: 'The run exceeded its wall time.', retryable: false },
  CPU_LIMIT: { when: 'The run exceeded its CPU time.', retryable: false },
  MEMORY_LIMIT: { when: 'The run used more memory than allowed.', retryable: false },
  SOURCE_LIMIT: { when: 'The source is larger than allowed.', retryable: false },
  VARIABLES_LIMIT: { when: 'The variables are larger than allowed.', retryable: false },
  RESULT_LIMIT: {
    when: 'The result is larger or deeper than allowed, or takes too long to read.',
    retryable: false,
  },
  TOOL_CALL_LIMIT: { when: 'The code called tools more often than allowed.', retryable: false },
  TOOL_DATA_LIMIT: {
    when: 'The arguments or the result of a tool call are larger than allowed, or take too long to read.',
    retryable: false,
  },
  UNSERIALIZABLE_RESULT: {
    when: 'The result contains a value that cannot be serialized.',
    retryable: false,
  },
  ABORTED: {
    when: "The caller's signal, or closing the executor, ended the run.",
    retryable: false,
  },
  QUEUE_FULL: { when: 'The queue of waiting runs is full.', retryable: true },
  QUEUE_TIMEOUT: { when: 'The run waited too long for a free slot.', retryable: true },
  HOST_LOST: {
    when: 'The host of the run died, or no host could be started.',
    retryable: true,
  },
  QUARANTINED: {
    when: 'This code has repeatedly killed hosts within a short time.',
    retryable: true,
  },
  SESSION_UNKNOWN: { when: 'The session was closed.', retryable: false },
  SESSION_LOST: { when: "The session's isolate died, and its state with it.", retryable: false },
  PROTOCOL_ERROR: { when: 'The other side violated the protocol and was killed.', retryable: true },
} as const satisfies Record<string, OutcomeCodeFacts>;

export type OutcomeCode = keyof typeof OUTCOME_CODES;

/** When each misuse error is thrown. A test compares `docs/errors.md` with this table. */
export const MISUSE_CODES: Readonly<Record<MisuseCode, string>> = MISUSE;
