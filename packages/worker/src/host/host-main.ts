/**
 * The entry point of a host process. A host runs the jobs of its parent in slots, and the parent may
 * kill it at any moment. The host trusts its parent; the parent does not trust the host.
 */
import { Socket } from 'node:net';

import { encodeFrame } from '@glovebox/protocol/frame';
import type { HostEvent, HostSettings } from '@glovebox/protocol/host-messages';
import { HOST_PIPE, slotPipe } from '@glovebox/protocol/pipes';
import { PROTOCOL_VERSION } from '@glovebox/protocol/versions';

import { checkIsolatedVm } from '../slot/isolated-vm-version.ts';
import { SlotThread } from '../slot/slot-thread.ts';

/** The smallest change of resident memory to report, in bytes. */
const REPORT_STEP_BYTES = 2 ** 20;

const settings = JSON.parse(process.argv[2] ?? '') as HostSettings;
const pipe = new Socket({ fd: HOST_PIPE, readable: true, writable: true });

function send(event: HostEvent): void {
  pipe.write(encodeFrame<HostEvent>(event));
}

/** Only SIGKILL always works: `process.exit` waits for isolates, and some never stop. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  pipe.write(encodeFrame<HostEvent>({ type: 'fatal' }, text), die);
}

/** Reports resident memory to the parent at regular intervals, if it has changed. */
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

/** Whether this process may use a permission scope. A scope that Node does not know is allowed. */
function isAllowed(scope: string): boolean {
  try {
    return process.permission?.has(scope) ?? true;
  } catch {
    return true;
  }
}

async function boot(): Promise<void> {
  const isolatedVm = checkIsolatedVm();
  // Each slot's thread reads and writes its own pipe; this thread only supervises.
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

// The parent decides when a host ends, so the host ignores signals. A terminal or a service manager
// sends them to the parent as well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// The pipe closes when the parent ends, for whatever reason.
pipe.on('close', die);
pipe.on('error', die);
// The parent sends nothing on this pipe, but without reading, `close` is not detected.
pipe.resume();
boot().catch(fail);
