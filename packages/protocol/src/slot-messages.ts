/**
 * Messages between a pool and one of its slots. Between threads they pass by structured clone.
 * Between processes each message is a frame: its `text`, or the variables of its job, is the body,
 * and the rest is the header. A slot runs untrusted code, so the pool validates every event of a
 * host's slot.
 */
import { z } from 'zod';

import { errorText } from './error-data.ts';
import type { Job } from './job.ts';

/** From the pool to the slot. The slot ignores a command for a run that has ended. */
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
  /** Dispose all isolates, so that the thread can be terminated safely. */
  | { readonly type: 'close' };

/** An event of a run before its end. */
export type RunEvent =
  | { readonly type: 'log'; readonly level: string; readonly text: string }
  | {
      readonly type: 'call';
      readonly callId: number;
      readonly tool: string;
      /** The arguments as `safe:` text. */
      readonly text: string;
    };

/** From the slot to the pool, in order. `end` is the last event of a run. */
export type SlotEvent = (RunEvent | ({ readonly type: 'end' } & SlotOutcome)) & {
  readonly run: number;
};

const SLOT_ENDS = [
  /** The code returned a value; `text` is `safe:` text. */
  'value',
  /** The code failed; `text` is the JSON of a `GuestFailure`. */
  'failure',
  /** The code does not compile; `text` is the JSON of a {@link SyntaxFailure}. */
  'syntax',
  /** The pool sent `stop`, or the code exceeded the wall limit in the slot. */
  'stopped',
  /** The isolate exceeded its limit of CPU time. */
  'cpu',
  /** The isolate exceeded its limit of memory. */
  'memory',
  /** The isolate of the session no longer exists. */
  'session-lost',
] as const;

/** How a run ended, as the slot reports it. */
export interface SlotOutcome {
  readonly end: (typeof SLOT_ENDS)[number];
  readonly text: string;
  readonly cpuMs: number;
  readonly heapBytes: number;
  /**
   * Whether the slot is *condemned*: V8 cannot stop the isolate, or the type stripper of the thread
   * failed. A condemned slot must not run another job; its host process must be replaced.
   */
  readonly condemned: boolean;
}

/** A compile error with its position in the original source. */
export interface SyntaxFailure {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  /** Part of the code may have run: it compiles, but not as one function body. */
  readonly ran?: true;
}

/** A compile error as the slot sends it. */
export const syntaxFailureSchema: z.ZodType<SyntaxFailure> = z.strictObject({
  message: errorText,
  line: z.exactOptional(z.int()),
  column: z.exactOptional(z.int()),
  ran: z.exactOptional(z.literal(true)),
});

/** The header of a message: all fields except the text, which is the body of the frame. */
type HeaderOf<Message> = Message extends { readonly text: string } ? Omit<Message, 'text'> : never;

/** A command as the header of a frame. The parent numbers the runs. */
export type SlotCommandHeader =
  /** Body: the variables. */
  | { readonly type: 'run'; readonly run: number; readonly job: Omit<Job, 'variables'> }
  /** Body: the text. */
  | HeaderOf<SlotCommand & { type: 'reply' }>
  | (SlotCommand & { type: 'stop' });

/** An event as the header of a frame. Body: the text. */
export type SlotEventHeader = HeaderOf<SlotEvent>;

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
