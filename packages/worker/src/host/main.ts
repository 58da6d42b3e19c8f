/**
 * A host process: runs jobs that its parent sends, in slots, and may be killed at any moment. It
 * trusts its parent and nobody else; its parent trusts nothing that it says.
 */
import { Socket } from 'node:net';

import { encodeFrame, FrameReader } from '../frame.ts';
import { Slots } from '../slots.ts';
import type { SlotRun } from '../slots.ts';
import { checkIsolatedVm } from '../version.ts';
import { HOST_PIPE } from './launch.ts';
import type { HostSettings } from './launch.ts';
import { PROTOCOL_VERSION } from './messages.ts';
import type { HostCommand, HostEvent } from './messages.ts';
import type { Job } from '../slot-messages.ts';

const settings = JSON.parse(process.argv[2] ?? '') as HostSettings;
const pipe = new Socket({ fd: HOST_PIPE, readable: true, writable: true });
// The parent is trusted with the size of what it sends.
const reader = new FrameReader(2 ** 31);
const runs = new Map<number, SlotRun>();
let slots: Slots | undefined;

function send(event: HostEvent, body = ''): void {
  pipe.write(encodeFrame(event, body));
}

/** The only sure way out: `process.exit` waits for isolates, and some never let go. */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  pipe.write(encodeFrame({ type: 'fatal' } satisfies HostEvent, text), die);
}

async function run(id: number, job: Omit<Job, 'variables'>, variables: string): Promise<void> {
  if (slots === undefined) throw new Error('A job came before the host was ready.');
  const slotRun = slots.run({ ...job, variables }, (event) => {
    if (event.type === 'log') send({ type: 'log', run: id, level: event.level }, event.text);
    else send({ type: 'call', run: id, callId: event.callId, tool: event.tool }, event.text);
  });
  runs.set(id, slotRun);
  reportMemory();
  const { text, end, cpuMs, heapBytes, condemned } = await slotRun.outcome;
  runs.delete(id);
  send({ type: 'end', run: id, end, cpuMs, heapBytes, condemned }, text);
}

let reporter: NodeJS.Timeout | undefined;

/** Tells the parent what this process holds, for as long as runs are under way. */
function reportMemory(): void {
  if (settings.reportMemoryMs === 0 || reporter !== undefined) return;
  reporter = setInterval(() => {
    if (runs.size === 0) {
      clearInterval(reporter);
      reporter = undefined;
    } else {
      send({ type: 'memory', bytes: process.memoryUsage.rss() });
    }
  }, settings.reportMemoryMs);
}

function receive(command: HostCommand, body: string): void {
  switch (command.type) {
    case 'run':
      run(command.run, command.job, body).catch(fail);
      break;
    case 'reply':
      runs.get(command.run)?.send({
        type: 'reply',
        callId: command.callId,
        ok: command.ok,
        text: body,
      });
      break;
    case 'stop':
      runs.get(command.run)?.send({ type: 'stop' });
      break;
  }
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
  slots = new Slots(settings.slots, settings.slot);
  await slots.ready();
  send({
    type: 'ready',
    protocol: PROTOCOL_VERSION,
    node: process.version,
    isolatedVm,
    allowed: ['fs.read', 'fs.write', 'child', 'net'].filter(isAllowed),
  });
}

// The parent decides when a host ends: signals of the terminal or of a service manager go to it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

// A parent that is gone, however it went, closes the pipe.
pipe.on('close', die);
pipe.on('error', die);
pipe.on('data', (chunk: Buffer) => {
  for (const frame of reader.push(chunk)) {
    // The parent made it: a cast is enough on this side.
    receive(frame.header as HostCommand, frame.body);
  }
});
boot().catch(fail);
