/**
 * What a parent process and a host process say to each other besides the talk of slots: a host has
 * one pipe for itself, on which only it speaks, and one for each of its slots.
 */
import { z } from 'zod';

/** What a pool tells a slot at its start. */
export interface SlotSettings {
  /** Heap limit of prepared isolates, in MiB; runs that ask for another one wait for theirs. */
  readonly memoryMb: number;
  readonly features: readonly string[];
  /** How many isolates to keep ready. */
  readonly prepared: number;
  /** Keep one isolate for all runs. */
  readonly session: boolean;
}

/** What a host process is told at its start. */
export interface HostSettings {
  readonly slots: number;
  readonly slot: SlotSettings;
  /** How often to report resident memory while runs are under way, in milliseconds; 0 for never. */
  readonly reportMemoryMs: number;
}

/** From the host itself to the parent: the header of a frame. */
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

/**
 * A host process has run code that nobody has read: whatever it says is checked by its parent, here,
 * once.
 */
export const hostEventSchema: z.ZodType<HostEvent> = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('ready'),
    protocol: z.int(),
    node: z.string().max(100),
    isolatedVm: z.string().max(100),
    allowed: z.array(z.string().max(20)).max(10),
  }),
  z.strictObject({ type: z.literal('memory'), bytes: z.number().min(0) }),
  z.strictObject({ type: z.literal('fatal') }),
]);
