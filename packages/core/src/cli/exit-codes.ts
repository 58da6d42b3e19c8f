import type { DispatchError } from '../dispatch/result.ts';
import type { OutcomeCode } from '../errors.ts';

/** What the command line's exit code says. */
export const EXIT = {
  ok: 0,
  /** The guest's code failed, or the tool: it threw, does not compile, or its result cannot cross. */
  guestFailed: 1,
  /** The command was not used right: options, files, names. */
  misuse: 2,
  /** A limit ended the run. */
  limit: 3,
  /** The box failed, not the code. */
  boxFailed: 4,
  /** Interrupted by Ctrl-C. */
  interrupted: 130,
} as const;

/** The exit code for a run that failed with a code of the outcome. */
export function exitCodeOf(code: OutcomeCode): number {
  switch (code) {
    case 'GUEST_ERROR':
    case 'SYNTAX_ERROR':
    case 'UNSERIALIZABLE_RESULT':
      return EXIT.guestFailed;
    case 'WALL_LIMIT':
    case 'CPU_LIMIT':
    case 'MEMORY_LIMIT':
    case 'SOURCE_LIMIT':
    case 'VARIABLES_LIMIT':
    case 'RESULT_LIMIT':
    case 'TOOL_CALL_LIMIT':
    case 'TOOL_DATA_LIMIT':
      return EXIT.limit;
    case 'ABORTED':
      return EXIT.interrupted;
    case 'QUEUE_FULL':
    case 'QUEUE_TIMEOUT':
    case 'HOST_LOST':
    case 'QUARANTINED':
    case 'SESSION_UNKNOWN':
    case 'SESSION_LOST':
    case 'PROTOCOL_ERROR':
      return EXIT.boxFailed;
  }
}

/** The exit code for a tool call that failed. */
export function exitCodeOfCall({ kind, outcomeCode }: DispatchError): number {
  if (outcomeCode !== undefined) return exitCodeOf(outcomeCode);
  switch (kind) {
    case 'invalid_request':
    case 'not_found':
    case 'schema':
    case 'idempotency_conflict':
      return EXIT.misuse;
    case 'timeout':
    case 'budget_exceeded':
      return EXIT.limit;
    case 'aborted':
      return EXIT.interrupted;
    case 'circuit_open':
      return EXIT.boxFailed;
    case 'recursion':
    case 'denied':
    case 'transient':
    case 'internal':
    case 'output_schema':
    case 'unserializable':
      return EXIT.guestFailed;
  }
}
