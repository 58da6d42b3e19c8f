/**
 * What a pool and one of its slots say to each other. The same messages pass between threads
 * (structured clone) and between processes, where each is a frame: the message is the header, and
 * its `text`, or the variables of its job, are the body. What a slot says is checked by the pool,
 * here, once: it has run code that nobody has read.
 */
import { z } from 'zod';

import { errorText } from './error-data.ts';
import type { Job } from './job.ts';

/** From the pool to the slot. A command for a run that is over is ignored. */
export type SlotCommand =
  | { readonly type: 'run'; readonly run: number; readonly job: Job }
  | {
      readonly type: 'reply';
      readonly run: number;
      readonly callId: number;
      readonly ok: boolean;
      /** The result as `safe:` text, or the error as JSON. */
      readonly text: string;
    }
  | { readonly type: 'stop'; readonly run: number }
  /** Give all isolates up, so that the thread can be terminated. */
  | { readonly type: 'close' };

/** What a run says before its end. */
export type RunEvent =
  | { readonly type: 'log'; readonly level: string; readonly text: string }
  | {
      readonly type: 'call';
      readonly callId: number;
      readonly tool: string;
      /** The arguments as `safe:` text. */
      readonly text: string;
    };

/** From the slot to the pool, in order; `end` is the last of its run. */
export type SlotEvent = (RunEvent | ({ readonly type: 'end' } & SlotOutcome)) & {
  readonly run: number;
};

const SLOT_ENDS = [
  /** It has a value; `text` is `safe:`. */
  'value',
  /** It failed; `text` is the JSON of a `GuestFailure`. */
  'failure',
  /** It does not compile; `text` is the JSON of a {@link SyntaxFailure}. */
  'syntax',
  /** A time limit that the slot keeps as well, or `stop`. */
  'stopped',
  'cpu',
  'memory',
  /** The isolate of the session is gone. */
  'session-lost',
] as const;

/** How a run ended, as its slot saw it. */
export interface SlotOutcome {
  readonly end: (typeof SLOT_ENDS)[number];
  readonly text: string;
  readonly cpuMs: number;
  readonly heapBytes: number;
  /** V8 has lost control of the isolate: the process must not be used again. */
  readonly condemned: boolean;
}

/** A compile error with its place in the source as given. */
export interface SyntaxFailure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Some of it has run: it compiles, though not as one function. */
  readonly ran?: true;
}

/** A compile error as the slot writes it. */
export const syntaxFailureSchema: z.ZodType<SyntaxFailure> = z.strictObject({
  message: errorText,
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
  ran: z.exactOptional(z.literal(true)),
});

/** A message without the text that is the frame's body. */
type Headed<Message> = Message extends { readonly text: string } ? Omit<Message, 'text'> : never;

/** A command as the header of a frame. Runs are numbered by the parent. */
export type SlotCommandHeader =
  /** Body: the variables. */
  | { readonly type: 'run'; readonly run: number; readonly job: Omit<Job, 'variables'> }
  /** Body: the text. */
  | Headed<SlotCommand & { type: 'reply' }>
  | (SlotCommand & { type: 'stop' });

/** An event as the header of a frame. Body: the text. */
export type SlotEventHeader = Headed<SlotEvent>;

const run = z.int().min(0);

export const slotEventSchema: z.ZodType<SlotEventHeader> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('log'), run, level: z.string().max(20) }),
  z.strictObject({
    type: z.literal('call'),
    run,
    callId: z.int().min(1),
    tool: z.string().max(256),
  }),
  z.strictObject({
    type: z.literal('end'),
    run,
    end: z.enum(SLOT_ENDS),
    cpuMs: z.number().min(0),
    heapBytes: z.number().min(0),
    condemned: z.boolean(),
  }),
]);
