/**
 * Messages between a parent process and a host process: settings at the start, and events about the
 * whole host. A *host* is a child process that runs untrusted code in one or more *slots*; each slot
 * runs one job at a time. A host has one pipe for its own events, on which the parent sends nothing,
 * and one pipe for each slot (see `slot-messages.ts`).
 */
import { z } from 'zod';

/** Settings that a pool gives a slot at its start. */
export interface SlotSettings {
  /** Heap limit of prepared isolates, in MiB. A run with another limit waits for its own isolate. */
  readonly memoryMb: number;
  /** Optional globals of guests: `WebAssembly`, `SharedArrayBuffer`, `Atomics`. */
  readonly features: readonly string[];
  /** How many isolates to keep prepared. */
  readonly prepared: number;
  /** Whether one isolate serves all runs, as a session needs. */
  readonly session: boolean;
}

/** Settings that a host process gets at its start. */
export interface HostSettings {
  readonly slots: number;
  readonly slot: SlotSettings;
  /** Interval of reports about resident memory, in milliseconds; 0 for none. */
  readonly reportMemoryMs: number;
}

/** An event of the host itself, as the header of a frame to the parent. */
export type HostEvent =
  | {
      readonly type: 'ready';
      readonly protocol: number;
      readonly node: string;
      readonly isolatedVm: string;
      /** Scopes that Node's permission model still allows. */
      readonly allowed: readonly string[];
    }
  /** Resident memory, in bytes. Sent where the parent cannot read it itself. */
  | { readonly type: 'memory'; readonly bytes: number }
  /** The host failed and ends. The body says why. */
  | { readonly type: 'fatal' };

/**
 * Schema of {@link HostEvent}. A host process runs untrusted code, so its parent validates every
 * event.
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
