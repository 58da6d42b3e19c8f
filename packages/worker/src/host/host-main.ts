/**
 * A host process: runs jobs that its parent sends, in slots, and may be killed at any moment. It
 * trusts its parent and nobody else; its parent trusts nothing that it says.
 */
import { Socket } from 'node:net';

import { encodeFrame } from '@glovebox/protocol/frame';
import type { HostEvent, HostSettings } from '@glovebox/protocol/host-messages';
import { HOST_PIPE, slotPipe } from '@glovebox/protocol/pipes';
import { PROTOCOL_VERSION } from '@glovebox/protocol/versions';

import { checkIsolatedVm } from '../slot/isolated-vm-version.ts';
import { SlotThread } from '../slot/slot-thread.ts';

/** A change of resident memory that is worth a report, in bytes. */
const REPORT_STEP_BYTES = 2 ** 20;

const settings = JSON.parse(process.argv[2] ?? '') as HostSettings;
const pipe = new Socket({ fd: HOST_PIPE, readable: true, writable: true });

function send(event: HostEvent): void {
  pipe.write(encodeFrame<HostEvent>(event));
}

/** The only sure way out: `process.exit` waits for isolates, and some never let go. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  pipe.write(encodeFrame<HostEvent>({ type: 'fatal' }, text), die);
}

/** Tells the parent what this process holds, whenever that has changed. */
function reportMemory(): void {
  if (settings.reportMemoryMs === 0) return;
  let reported = 0;
  setInterval(() => {
    const bytes = process.memoryUsage.rss();
    if (Math.abs(bytes - reported) < REPORT_STEP_BYTES) return;
    reported = bytes;
    send({ type: 'memory', bytes });
  }, settings.reportMemoryMs);
}

/** Whether the permission model lets this process use a scope; a scope that it lacks is open. */
function isAllowed(scope: string): boolean {
  try {
    return process.permission?.has(scope) ?? true;
  } catch {
    return true;
  }
}

async function boot(): Promise<void> {
  const isolatedVm = checkIsolatedVm();
  // Each slot serves the parent on a pipe of its own; this thread only watches.
  const threads = Array.from(
    { length: settings.slots },
    (_, slot) => new SlotThread(settings.slot, { kind: 'pipe', fd: slotPipe(slot) }),
  );
  for (const thread of threads) thread.ended().catch(fail);
  await Promise.all(threads.map((thread) => thread.loaded()));
  send({
    type: 'ready',
    protocol: PROTOCOL_VERSION,
    node: process.version,
    isolatedVm,
    allowed: ['fs.read', 'fs.write', 'child', 'net', 'inspector'].filter(isAllowed),
  });
  reportMemory();
}

// The parent decides when a host ends: signals of the terminal or of a service manager go to it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// A parent that is gone, however it went, closes the pipe.
pipe.on('close', die);
pipe.on('error', die);
// Nothing comes on it; to read is to notice that it was closed.
pipe.resume();
boot().catch(fail);
