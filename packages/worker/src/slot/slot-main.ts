/**
 * The entry point of a slot's thread: Piscina calls the default export once, with the way on which
 * the slot is to serve its pool, and the thread serves until it is told to close.
 */
import { parentPort, workerData } from 'node:worker_threads';

import type { Job } from '@glovebox/protocol/job';
import type { SlotCommand, SlotOutcome } from '@glovebox/protocol/slot-messages';

import { IsolateRun } from './isolate-run.ts';
import { IsolateStore } from './isolate-store.ts';
import type { Persistent } from './persist-declarations.ts';
import { SLOT_LOADED } from './slot-data.ts';
import type { SlotData } from './slot-data.ts';
import { openSlotLink } from './slot-link.ts';
import type { SlotLink, SlotLinkData } from './slot-link.ts';
import { takeTurn } from './snapshot-turns.ts';

/** How long isolates may take to be taken apart. */
const TAKE_APART_MS = 25;

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
  let current: { readonly run: number; readonly isolateRun: IsolateRun } | undefined;

  const start = async (run: number, job: Job): Promise<void> => {
    const guest = store.take(job.limits.memoryMb);
    if (guest === undefined) {
      link.send({ type: 'end', run, ...SESSION_LOST });
      return;
    }
    const isolateRun = new IsolateRun(job, guest, settings, persist, (event) =>
      link.send({ ...event, run }),
    );
    current = { run, isolateRun };
    const outcome = await isolateRun.run();
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
      const { isolateRun } = current;
      if (command.type === 'stop') isolateRun.stop();
      else isolateRun.reply(command.callId, command.ok, command.text);
    }
  };

  const link: SlotLink = openSlotLink(data, receive);
  await closed.promise;
  link.close();
}

store.refill();
parentPort?.postMessage(SLOT_LOADED);
