import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
/**
 * What executors and workers say to each other over NATS: the headers of frames. The text named in
 * the comment of a message is the frame's body. Neither side trusts the other: each message is
 * checked here, once, where it comes in.
 */
import type { SlotEventHeader } from '@glovebox/protocol/slot-messages';
import { z } from 'zod';

import { OUTCOME_CODES } from '../../shared/errors.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { limitsSchema } from '@glovebox/protocol/limits-schema';
import type { Limits } from '@glovebox/protocol/limits';
import { slotEventSchema } from '@glovebox/protocol/slot-messages';
import { namePart } from './subjects.ts';

/** Changes whenever a message changes in a way that the other side must know. */
export const NATS_PROTOCOL = 3;

/** So many last words can be confirmed at once. */
export const MAX_HEARD = 100;

const count = z.int().min(0);

/** A frame that is too large for a message, and lies in the object store. */
export const storedFrameSchema = z.strictObject({
  stored: z.strictObject({ name: namePart, bytes: count }),
  /** Of a job: who is to hear that it is too large. */
  address: z.strictObject({ executor: namePart, token: namePart }).optional(),
});

/** A stored frame as it is sent. */
export type StoredFrame = z.input<typeof storedFrameSchema>;

export type Address = NonNullable<z.infer<typeof storedFrameSchema>['address']>;

/**
 * Limits that go without saying: most jobs have most of them, and eleven numbers are half of what a
 * small job has to say. Both sides must mean the same by a job that says nothing: who changes a
 * default changes {@link NATS_PROTOCOL}, of which a test reminds.
 */
export const USUAL_LIMITS: Readonly<Limits> = DEFAULT_LIMITS;

const jobSchema = z.strictObject({
  code: z.string(),
  filename: z.string().regex(/^[\w.-]{1,100}$/),
  language: z.enum(['auto', 'javascript', 'typescript']),
  tools: z.array(z.string().max(256)).max(10_000),
  /** Those that are not {@link USUAL_LIMITS}. */
  limits: limitsSchema.transform((said): Limits => ({
    ...USUAL_LIMITS,
    // What came as JSON has no undefined in it.
    ...(said as Partial<Limits>),
  })),
  deterministic: z.strictObject({ now: z.number(), seed: z.int32() }).nullable(),
});

/** A job, in the stream or for a session. Body: the variables. */
export const assignmentSchema = z.strictObject({
  protocol: z.int(),
  /** Where events go to. */
  executor: namePart,
  /** The job's own name, which cannot be guessed. */
  token: namePart,
  job: jobSchema,
});

/** As a worker has it. */
export type Assignment = z.infer<typeof assignmentSchema>;
/** As it is sent. */
export type SentAssignment = z.input<typeof assignmentSchema>;

/** From an executor to a worker. */
export const commandSchema = z.discriminatedUnion('type', [
  /** Body: the result, or the error as JSON. */
  z.strictObject({
    type: z.literal('reply'),
    lease: count,
    token: namePart,
    callId: z.int().min(1),
    ok: z.boolean(),
  }),
  z.strictObject({ type: z.literal('stop'), lease: count, token: namePart }),
  z.strictObject({
    type: z.literal('kill'),
    lease: count,
    token: namePart,
    why: z.enum(['limit', 'abort', 'breach']),
  }),
  /** The last words of these have arrived. */
  z.strictObject({
    type: z.literal('heard'),
    leases: z.array(z.strictObject({ lease: count, token: namePart })).max(MAX_HEARD),
  }),
  /** Answered with an {@link openedSchema}. */
  z.strictObject({
    type: z.literal('open'),
    executor: namePart,
    session: namePart,
    memoryMb: z.int().min(8),
  }),
  /** Answered with an {@link openedSchema}. Body: the variables. */
  z.strictObject({ type: z.literal('run'), session: namePart, assignment: assignmentSchema }),
  z.strictObject({ type: z.literal('close'), session: namePart }),
]);

export type Command = z.infer<typeof commandSchema>;
export type SentCommand = z.input<typeof commandSchema>;

/** How a worker answers a command about a session, as JSON. */
export const openedSchema = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), host: z.string().max(256) }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum(['SESSION_LIMIT', 'POOL_UNAVAILABLE', 'SESSION_UNKNOWN']),
    message: z.string().max(1000),
  }),
]);

export type Opened = z.infer<typeof openedSchema>;

const codes = Object.keys(OUTCOME_CODES) as [OutcomeCode, ...OutcomeCode[]];

/** What a worker says of a job besides what its slot says. */
const leaseEventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    run: count,
    /** How often the job was delivered, this time included. */
    attempt: z.int().min(1),
    host: z.string().max(256),
    /** How long ago, in milliseconds: word of it waits for company. */
    heldMs: z.number().min(0),
  }),
  /** It is still at it, and has had so many answers of tools. */
  z.strictObject({ type: z.literal('alive'), run: count, replies: count }),
  /** There is no outcome. Body: the cause, where one is known. */
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
  /** Counts the events of a lease from 0: a gap is an event that was lost on its way. */
  readonly sequence: number;
  readonly event: SlotEventHeader | LeaseEvent;
}

export const eventSchema: z.ZodType<NumberedEvent> = z.strictObject({
  sequence: count,
  event: z.discriminatedUnion('type', [
    leaseEventSchema,
    // It is such a union too, though its type says less.
    slotEventSchema as typeof slotEventSchema & z.core.$ZodTypeDiscriminable,
  ]),
});

/** What a worker says of itself, every other second and when asked. */
export const helloSchema = z.strictObject({
  protocol: z.int(),
  worker: namePart,
  /** When it began, in milliseconds since 1970: another one of that name is another worker. */
  since: count,
  version: z.string().max(100),
  node: z.string().max(100),
  slots: count,
  busy: count,
  sessions: count,
  maxSessions: count,
  /** It finishes what it has, and takes nothing new. */
  draining: z.boolean(),
});

export type Hello = z.infer<typeof helloSchema>;

/** Code of which a host or a worker has died. */
export const killSchema = z.strictObject({ hash: z.string().regex(/^[\da-f]{64}$/) });

/** A message that is JSON; undefined where it is none. */
export function readJson(message: { json(): unknown }): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
