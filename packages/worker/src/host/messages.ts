/**
 * What a parent process and a host process say to each other: the header of each frame. The text
 * named in the comment of a message is the frame's body. A host has one pipe for itself, on which
 * only it speaks, and one for each of its slots.
 */
import type { Job, SlotCommand, SlotEvent } from '../slot-messages.ts';

/** Changes whenever a message changes in a way that the other side must know. */
export const PROTOCOL_VERSION = 2;

/** A message without the text that is the frame's body. */
type Headed<Message> = Message extends { readonly text: string } ? Omit<Message, 'text'> : never;

/** From the parent to a slot. Runs are numbered by the parent. */
export type SlotCommandHeader =
  /** Body: the variables. */
  | { readonly type: 'run'; readonly run: number; readonly job: Omit<Job, 'variables'> }
  /** Body: the result, or the error as JSON. */
  | Headed<SlotCommand & { type: 'reply' }>
  | (SlotCommand & { type: 'stop' });

/** From a slot to the parent. Body: the text. */
export type SlotEventHeader = Headed<SlotEvent>;

/** From the host itself to the parent. */
export type HostEvent =
  | {
      readonly type: 'ready';
      readonly protocol: number;
      readonly node: string;
      readonly isolatedVm: string;
      /** What the permission model still allows, by Node's names of the scopes. */
      readonly allowed: readonly string[];
    }
  /** Resident memory, in bytes, where the parent cannot look for itself. */
  | { readonly type: 'memory'; readonly bytes: number }
  /** The host cannot work and ends. Body: why. */
  | { readonly type: 'fatal' };
