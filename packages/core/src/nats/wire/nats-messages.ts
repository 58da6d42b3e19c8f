/**
 * The messages between executors and workers over NATS. A message is the header of a frame; its
 * comment names the body, if there is one. The sides do not trust each other: each side validates
 * every message here, once, when it arrives.
 */
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { slotEventSchema } from '@glovebox/protocol/slot-messages';
import type { SlotEventHeader } from '@glovebox/protocol/slot-messages';
import { z } from 'zod';

import { OUTCOME_CODES } from '../../shared/errors.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { namePart } from './subjects.ts';

/** The version of these messages. It rises with every change that the other side must know. */
export const NATS_PROTOCOL = 4;

/** How many leases one `confirm` command may list. */
export const MAX_CONFIRMED = 100;

/** The interval between the heartbeats (`hello` messages) of a worker, in milliseconds. */
export const HELLO_MS = 2000;

const count = z.int().min(0);

/** Refers to a frame in the object store that is too large for a message. */
export const storedFrameSchema = z.strictObject({
  stored: z.strictObject({ name: namePart, bytes: count }),
  /** Where to report that the frame is too large, if it is a job. */
  address: z.strictObject({ executor: namePart, token: namePart }).optional(),
});

/** As the sender writes it. */
export type StoredFrame = z.input<typeof storedFrameSchema>;

/** The executor of a job, and the token of the job there. */
export type JobAddress = NonNullable<z.infer<typeof storedFrameSchema>['address']>;

/**
 * A job message leaves out each limit that has this value: all limits would be half of a small
 * message. Both sides must use the same values: a change here requires a new {@link NATS_PROTOCOL}.
 */
export const WIRE_DEFAULT_LIMITS: Readonly<Limits> = DEFAULT_LIMITS;

const jobSchema = z.strictObject({
  code: z.string(),
  filename: z.string().regex(/^[\w.-]{1,100}$/),
  language: z.enum(['auto', 'javascript', 'typescript']),
  tools: z.array(z.string().max(256)).max(10_000),
  /** The limits that differ from {@link WIRE_DEFAULT_LIMITS}. */
  limits: limitsSchema.transform((given): Limits => ({
    ...WIRE_DEFAULT_LIMITS,
    // Parsed JSON contains no undefined.
    ...(given as Partial<Limits>),
  })),
  deterministic: z.strictObject({ now: z.number(), seed: z.int32() }).nullable(),
});

/** A job, in the stream or for a session. Body: the variables. */
export const assignmentSchema = z.strictObject({
  protocol: z.int(),
  /** Where the worker sends events. */
  executor: namePart,
  /** The name of the job. Nobody can guess it: a party that knows it may command the job. */
  token: namePart,
  job: jobSchema,
});

/** As the worker reads it, with all limits. */
export type Assignment = z.infer<typeof assignmentSchema>;
/** As the executor sends it. */
export type SentAssignment = z.input<typeof assignmentSchema>;

/** From an executor to a worker. */
export const commandSchema = z.discriminatedUnion('type', [
  /** Answers a tool call. Body: the result, or the error as JSON. */
  z.strictObject({
    type: z.literal('reply'),
    lease: count,
    token: namePart,
    callId: z.int().min(1),
    ok: z.boolean(),
  }),
  /** Asks the slot to end the run. */
  z.strictObject({ type: z.literal('stop'), lease: count, token: namePart }),
  /** Ends the run at once, whatever it does. */
  z.strictObject({
    type: z.literal('kill'),
    lease: count,
    token: namePart,
    why: z.enum(['limit', 'abort', 'breach']),
  }),
  /** The executor has received the end events of these leases. The worker stops re-sending them. */
  z.strictObject({
    type: z.literal('confirm'),
    leases: z.array(z.strictObject({ lease: count, token: namePart })).max(MAX_CONFIRMED),
  }),
  /** Opens a session. The worker responds with a {@link sessionResponseSchema}. */
  z.strictObject({
    type: z.literal('open'),
    executor: namePart,
    session: namePart,
    memoryMb: z.int().min(8),
  }),
  /** Runs a job in a session. Response: {@link sessionResponseSchema}. Body: the variables. */
  z.strictObject({ type: z.literal('run'), session: namePart, assignment: assignmentSchema }),
  /** Closes a session. Response: {@link sessionResponseSchema}. */
  z.strictObject({ type: z.literal('close'), session: namePart }),
]);

/** As the worker reads it. */
export type Command = z.infer<typeof commandSchema>;
/** As the executor sends it. */
export type SentCommand = z.input<typeof commandSchema>;

/** A worker's response to a command about a session, as JSON. */
export const sessionResponseSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), host: z.string().max(256) }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum(['SESSION_LIMIT', 'POOL_UNAVAILABLE', 'SESSION_UNKNOWN']),
    message: z.string().max(1000),
  }),
]);

export type SessionResponse = z.infer<typeof sessionResponseSchema>;

const codes = Object.keys(OUTCOME_CODES) as [OutcomeCode, ...OutcomeCode[]];

/** The events of a lease that come from the worker itself, not from the slot. */
const leaseEventSchema = z.discriminatedUnion('type', [
  /** The run has started. */
  z.strictObject({
    type: z.literal('start'),
    run: count,
    /** How often the job has been delivered, this delivery included. */
    attempt: z.int().min(1),
    host: z.string().max(256),
    /**
     * For how long the worker delayed this event to batch it with later ones, in milliseconds. The
     * run started that long before the event was sent.
     */
    heldMs: z.number().min(0),
  }),
  /**
   * A heartbeat of the run. The executor responds if it still wants the result.
   *
   * `replies` is the number of tool results that the worker has received.
   */
  z.strictObject({ type: z.literal('alive'), run: count, replies: count }),
  /** The run ends without an outcome. Body: the message of the cause, if there is one. */
  z.strictObject({
    type: z.literal('failure'),
    run: count,
    code: z.enum(codes),
    message: z.string().max(1000),
    ran: z.enum(['no', 'yes', 'maybe']),
    limit: z.number().optional(),
    used: z.number().optional(),
  }),
]);

export type LeaseEvent = z.infer<typeof leaseEventSchema>;

/** From a worker to an executor. `run` is the number of the lease, as in the subject. */
export interface NumberedEvent {
  /** Numbers the events of a lease from 0: a gap means that an event was lost. */
  readonly sequence: number;
  readonly event: SlotEventHeader | LeaseEvent;
}

export const eventSchema: z.ZodType<NumberedEvent> = z.strictObject({
  sequence: count,
  event: z.discriminatedUnion('type', [
    leaseEventSchema,
    // It is a discriminated union too, but its declared type does not show that.
    slotEventSchema as typeof slotEventSchema & z.core.$ZodTypeDiscriminable,
  ]),
});

/** The state of a worker: its heartbeat, and its response to a ping. */
export const helloSchema = z.strictObject({
  protocol: z.int(),
  worker: namePart,
  /** When the worker started, in Unix milliseconds. A restarted worker has another value. */
  since: count,
  version: z.string().max(100),
  node: z.string().max(100),
  slots: count,
  busy: count,
  sessions: count,
  maxSessions: count,
  /** The worker finishes its runs and takes no new ones. */
  draining: z.boolean(),
});

export type Hello = z.infer<typeof helloSchema>;

/** Reports code that has killed a host or a worker, by its SHA-256 hash. */
export const killReportSchema = z.strictObject({ hash: z.string().regex(/^[\da-f]{64}$/) });

/** Parses a message as JSON; undefined if it is not JSON. */
export function readJson(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
