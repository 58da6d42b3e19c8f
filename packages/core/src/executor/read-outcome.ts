import { guestFailureSchema } from '@glovebox/protocol/guest-messages';
import type { Limits } from '@glovebox/protocol/limits';
import { syntaxFailureSchema } from '@glovebox/protocol/slot-messages';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';
import type { z } from 'zod';

import { WorkLimitError } from '../shared/work-slices.ts';
import { readFromGuest } from './from-guest.ts';
import type { GuestReading } from './from-guest.ts';
import { mapErrorStacks, readStack } from './guest-stack.ts';
import type { OutcomeError } from './outcome.ts';

const MIB = 1024 * 1024;

/** An error of a run. `Run` adds `retryable`, and the code as `name` if there is none. */
export type RunError = Omit<OutcomeError, 'name' | 'retryable'> & { readonly name?: string };

export type ReadOutcome =
  /** The value; it may still be being decoded. */
  | { readonly reading: GuestReading }
  | { readonly error: RunError }
  /** The other side violated the protocol; the text says how. */
  | { readonly breach: string };

/** Two processes may measure the same time span with this difference. */
const CLOCK_TOLERANCE_MS = 50;

/** Interprets the outcome that a slot reports. It is as untrusted as the guest. */
export function readOutcome(
  outcome: SlotOutcome,
  limits: Limits,
  filename: string,
  wallMs: number,
): ReadOutcome {
  switch (outcome.end) {
    case 'value':
      return readValue(outcome.text, limits.resultBytes);
    case 'failure':
      return readFailure(outcome.text, filename);
    case 'syntax':
      return readSyntax(outcome.text);
    case 'stopped':
    case 'cpu':
      return { error: timeLimit(outcome, limits, wallMs) };
    case 'memory':
      return {
        error: {
          code: 'MEMORY_LIMIT',
          message: `The run used more than ${limits.memoryMb} MiB of memory.`,
          limit: limits.memoryMb * MIB,
          ran: 'yes',
        },
      };
    case 'session-lost':
      return {
        error: {
          code: 'SESSION_LOST',
          message: 'An earlier run ended the isolate of the session; its state is lost.',
          ran: 'no',
        },
      };
  }
}

/**
 * Which of the two time limits was exceeded. A slot that reports `stopped` has stopped one
 * uninterrupted stretch of code after the wall limit, possibly while the wall clock was paused; that
 * is then reported as the CPU limit. If both limits are equal, the wall limit is reported.
 */
function timeLimit({ end, cpuMs }: SlotOutcome, limits: Limits, wallMs: number): RunError {
  const isWallUp = wallMs >= limits.wallMs - CLOCK_TOLERANCE_MS;
  const isWall = end === 'stopped' ? isWallUp : isWallUp && limits.cpuMs >= limits.wallMs;
  return isWall ? wallLimit(limits, wallMs) : cpuLimit(limits, cpuMs);
}

function cpuLimit(limits: Limits, cpuMs: number): RunError {
  return {
    code: 'CPU_LIMIT',
    message: `The run used more than ${limits.cpuMs} ms of CPU time.`,
    limit: limits.cpuMs,
    used: Math.ceil(cpuMs),
    ran: 'yes',
  };
}

export function wallLimit(limits: Limits, wallMs: number): RunError {
  return {
    code: 'WALL_LIMIT',
    message: `The run took longer than ${limits.wallMs} ms.`,
    limit: limits.wallMs,
    used: Math.round(wallMs),
    ran: 'yes',
  };
}

function readValue(text: string, maxBytes: number): ReadOutcome {
  try {
    return { reading: readFromGuest(text, maxBytes) };
  } catch (error) {
    return unreadable(error);
  }
}

/** How a run ends whose result could not be decoded. */
export function unreadable(error: unknown): ReadOutcome {
  if (!(error instanceof WorkLimitError)) {
    return { breach: `The result cannot be read: ${String(error)}` };
  }
  const { limit, used } = error;
  const message = `The result takes more than ${limit} ms to read.`;
  return { error: { code: 'RESULT_LIMIT', message, limit, used, ran: 'yes' } };
}

function readSyntax(text: string): ReadOutcome {
  const data = readJson(text, syntaxFailureSchema);
  if (data === undefined) return { breach: 'The syntax error cannot be read.' };
  const ran = data.ran === true ? 'yes' : 'no';
  return { error: { code: 'SYNTAX_ERROR', name: 'SyntaxError', ...data, ran } };
}

function readFailure(text: string, filename: string): ReadOutcome {
  const data = readJson(text, guestFailureSchema);
  if (data === undefined) return { breach: 'The failure of the guest cannot be read.' };
  const { kind, name, message, stack, code, cause, ...where } = data;
  switch (kind) {
    case 'thrown': {
      const read = stack === undefined ? undefined : readStack(stack, filename);
      return {
        error: {
          code: 'GUEST_ERROR',
          name,
          message,
          ...(read === undefined ? {} : { stack: read.stack, ...read.place }),
          ...(code === undefined ? {} : { guestCode: code }),
          ...(cause === undefined ? {} : { cause: mapErrorStacks(cause, filename) }),
          ran: 'yes',
        },
      };
    }
    case 'unserializable':
      return { error: { code: 'UNSERIALIZABLE_RESULT', message, ...where, ran: 'yes' } };
    case 'result-limit':
      return { error: { code: 'RESULT_LIMIT', message, ...where, ran: 'yes' } };
    case 'call-limit':
      return { error: { code: 'TOOL_CALL_LIMIT', message, ...where, ran: 'yes' } };
    case 'argument-limit':
      return { error: { code: 'TOOL_DATA_LIMIT', message, ...where, ran: 'yes' } };
  }
}

function readJson<T>(text: string, schema: z.ZodType<T>): T | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? parsed.data : undefined;
}
