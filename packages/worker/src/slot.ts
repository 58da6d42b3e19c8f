/**
 * The entry point of a slot's thread: Piscina calls the default export once for each run. Tool
 * calls, logs and commands of a run pass over a port of their own that the thread opens at load.
 */
import { MessageChannel, parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

import { Execution } from './execution.ts';
import { IsolateStore } from './isolate-store.ts';
import type { Persistent } from './persist.ts';
import { takeTurn } from './turns.ts';
import type { SlotCommand, SlotEvent, SlotOutcome, SlotTask } from './slot-messages.ts';

/** How long isolates may take to be taken apart. */
const TAKE_APART_MS = 25;

/** What a pool tells its threads at their start. */
export interface SlotSettings {
  /** Heap limit of prepared isolates, in MiB; runs that ask for another one wait for theirs. */
  readonly memoryMb: number;
  readonly features: readonly string[];
  /** How many isolates to keep ready. */
  readonly prepared: number;
  /** Keep one isolate for all runs. */
  readonly session: boolean;
}

/** The settings with what the threads of a process share. */
export interface SlotData extends SlotSettings {
  readonly turns: Int32Array;
}

/** The first and only message that the thread posts by itself: the port of its conversation. */
export interface SlotHello {
  readonly type: 'slot-port';
  readonly port: MessagePort;
}

// Node warns that its stripping of types is experimental; this thread is ours alone, and the version
// of Node is one that we have tried.
process.removeAllListeners('warning');

const { turns, ...settings } = workerData as SlotData;
// V8 makes a snapshot of a whole isolate, with state that is the process's.
const store = takeTurn(turns, () => new IsolateStore(settings));
// Only sessions need the parser.
const persist = settings.session
  ? (await import('./persist.ts')).persistDeclarations
  : (code: string): Persistent => ({ code, names: [] });
const { port1: port, port2: far } = new MessageChannel();
let current: { readonly run: number; readonly execution: Execution } | undefined;

let events = 0;
const emit = (event: SlotEvent): void => {
  events++;
  port.postMessage(event);
};

port.on('message', (command: SlotCommand) => {
  if (command.type === 'close') {
    store.close();
    // Isolates are taken apart by threads of isolated-vm, which must not lose this one under them.
    setTimeout(() => port.close(), TAKE_APART_MS);
  } else if (current?.run === command.run) {
    const { execution } = current;
    if (command.type === 'stop') execution.stop();
    else execution.reply(command.callId, command.ok, command.text);
  }
});
parentPort?.postMessage({ type: 'slot-port', port: far } satisfies SlotHello, [far]);

/** Runs one job. Resolves with its outcome and never rejects for what a guest does. */
export default async function runJob({ run, job }: SlotTask): Promise<SlotOutcome> {
  const guest = store.take(job.limits.memoryMb);
  if (guest === undefined) {
    return { end: 'session-lost', text: '', cpuMs: 0, heapBytes: 0, condemned: false, events: 0 };
  }
  events = 0;
  const execution = new Execution(job, guest, settings, persist, emit);
  current = { run, execution };
  const report = await execution.run();
  current = undefined;
  store.giveBack(guest);
  return { ...report, events };
}

store.refill();
