/**
 * What a parent process and a host process say to each other: the header of each frame. The text
 * named in the comment of a message is the frame's body.
 */
import type { Job, SlotOutcome } from '../slot-messages.ts';

/** Changes whenever a message changes in a way that the other side must know. */
export const PROTOCOL_VERSION = 1;

/** From the parent to the host. Runs are numbered by the parent. */
export type HostCommand =
  /** Body: the variables. */
  | { readonly type: 'run'; readonly run: number; readonly job: Omit<Job, 'variables'> }
  /** Body: the result, or the error as JSON. */
  | {
      readonly type: 'reply';
      readonly run: number;
      readonly callId: number;
      readonly ok: boolean;
    }
  | { readonly type: 'stop'; readonly run: number };

/** From the host to the parent. */
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
  | { readonly type: 'fatal' }
  /** Body: the text. */
  | { readonly type: 'log'; readonly run: number; readonly level: string }
  /** Body: the arguments. */
  | {
      readonly type: 'call';
      readonly run: number;
      readonly callId: number;
      readonly tool: string;
    }
  /** Body: the outcome's text. */
  | ({ readonly type: 'end'; readonly run: number } & Omit<SlotOutcome, 'text' | 'events'>);
