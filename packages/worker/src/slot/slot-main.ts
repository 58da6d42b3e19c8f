/**
 * The entry point of a slot's thread. Piscina calls the default export once, with the connection to
 * the pool. The slot then runs jobs until the pool sends `close`.
 */
import { parentPort, workerData } from 'node:worker_threads';

import type { Job } from '@glovebox/protocol/job';
import type { SlotCommand, SlotOutcome } from '@glovebox/protocol/slot-messages';

import { IsolateRun } from './isolate-run.ts';
import { IsolateStore } from './isolate-store.ts';
import type { PersistentSource } from './persist-declarations.ts';
import { SLOT_LOADED } from './slot-data.ts';
import type { SlotData } from './slot-data.ts';
import { openSlotLink } from './slot-link.ts';
import type { SlotLink, SlotLinkData } from './slot-link.ts';
import { withSnapshotLock } from './snapshot-lock.ts';

/** Time for the disposal of isolates before the thread ends. */
const DISPOSE_MS = 25;

const SESSION_LOST: SlotOutcome = {
  end: 'session-lost',
  text: '',
  cpuMs: 0,
  heapBytes: 0,
  condemned: false,
};

// Suppresses Node's warning that type stripping is experimental: the tests cover every supported
// version of Node. No other code in this thread needs warnings.
process.removeAllListeners('warning');

const { snapshotLock, ...settings } = workerData as SlotData;
// The constructor makes a snapshot, and V8 uses state of the whole process for that.
const store = withSnapshotLock(snapshotLock, () => new IsolateStore(settings));
// Loaded here because only sessions need the parser.
const persist = settings.session
  ? (await import('./persist-declarations.ts')).persistDeclarations
  : (code: string): PersistentSource => ({ code, names: [] });

/** Runs the jobs of a pool. Resolves after the `close` command. Guests cannot make it reject. */
export default async function serve(data: SlotLinkData): Promise<void> {
  const closed = Promise.withResolvers<void>();
  let current: { readonly run: number; readonly isolateRun: IsolateRun } | undefined;

  const start = async (run: number, job: Job): Promise<void> => {
    const guest = store.acquire(job.limits.memoryMb);
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
    store.release(guest);
  };

  const receive = (command: SlotCommand): void => {
    if (command.type === 'run') {
      void start(command.run, command.job);
    } else if (command.type === 'close') {
      store.close();
      // Threads of isolated-vm dispose the isolates; this thread must not end before they are done.
      setTimeout(closed.resolve, DISPOSE_MS);
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
