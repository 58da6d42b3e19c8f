import type { HostEvent, SlotEventHeader } from '@glovebox/worker';
import { z } from 'zod';

const id = z.int().min(0);

/**
 * What a host process may say for itself. It has run code that nobody has read: whatever it sends is
 * checked here, once, and its bodies are decoded with limits.
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

/** What one of its slots may say. */
export const slotEventSchema: z.ZodType<SlotEventHeader> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('log'), run: id, level: z.string().max(20) }),
  z.strictObject({
    type: z.literal('call'),
    run: id,
    callId: z.int().min(1),
    tool: z.string().max(256),
  }),
  z.strictObject({
    type: z.literal('end'),
    run: id,
    end: z.enum(['value', 'failure', 'syntax', 'stopped', 'cpu', 'memory', 'session-lost']),
    cpuMs: z.number().min(0),
    heapBytes: z.number().min(0),
    condemned: z.boolean(),
  }),
]);
