/**
 * The entry point of a slot's thread: Piscina calls the default export once, with the way on which
 * the slot is to serve its pool, and the thread serves until it is told to close.
 */
import { parentPort, workerData } from 'node:worker_threads';

import { Execution } from './isolate-run.ts';
import { IsolateStore } from './isolate-store.ts';
import type { Persistent } from './persist-declarations.ts';
import { openSlotLink } from './slot-link.ts';
import type { SlotLink, SlotLinkData } from './slot-link.ts';
import { SLOT_LOADED } from '../slot-messages.ts';
import type { Job, SlotCommand, SlotOutcome } from '../slot-messages.ts';
import { takeTurn } from './snapshot-turns.ts';

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

const SESSION_LOST: SlotOutcome = {
  end: 'session-lost',
  text: '',
  cpuMs: 0,
  heapBytes: 0,
  condemned: false,
};

// Node warns that its stripping of types is experimental; this thread is ours alone, and the version
// of Node is one that we have tried.
process.removeAllListeners('warning');

const { turns, ...settings } = workerData as SlotData;
// V8 makes a snapshot of a whole isolate, with state that is the process's.
const store = takeTurn(turns, () => new IsolateStore(settings));
// Only sessions need the parser.
const persist = settings.session
  ? (await import('./persist-declarations.ts')).persistDeclarations
  : (code: string): Persistent => ({ code, names: [] });

/** Serves a pool. Resolves when it was told to close; what guests do never makes it reject. */
export default async function serve(data: SlotLinkData): Promise<void> {
  const closed = Promise.withResolvers<void>();
  let current: { readonly run: number; readonly execution: Execution } | undefined;

  const start = async (run: number, job: Job): Promise<void> => {
    const guest = store.take(job.limits.memoryMb);
    if (guest === undefined) {
      link.send({ type: 'end', run, ...SESSION_LOST });
      return;
    }
    const execution = new Execution(job, guest, settings, persist, (event) =>
      link.send({ ...event, run }),
    );
    current = { run, execution };
    const outcome = await execution.run();
    current = undefined;
    link.send({ type: 'end', run, ...outcome });
    store.giveBack(guest);
  };

  const receive = (command: SlotCommand): void => {
    if (command.type === 'run') {
      void start(command.run, command.job);
    } else if (command.type === 'close') {
      store.close();
      // Isolates are taken apart by threads of isolated-vm, which must not lose this one under them.
      setTimeout(closed.resolve, TAKE_APART_MS);
    } else if (current?.run === command.run) {
      const { execution } = current;
      if (command.type === 'stop') execution.stop();
      else execution.reply(command.callId, command.ok, command.text);
    }
  };

  const link: SlotLink = openSlotLink(data, receive);
  await closed.promise;
  link.close();
}

store.refill();
parentPort?.postMessage(SLOT_LOADED);
