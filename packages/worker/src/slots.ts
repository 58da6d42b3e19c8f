import { once } from 'node:events';
import type { MessagePort } from 'node:worker_threads';

import { Piscina } from 'piscina';

import type { SlotData, SlotHello, SlotSettings } from './slot.ts';
import type { Job, SlotCommand, SlotEvent, SlotOutcome, SlotTask } from './slot-messages.ts';
import { createTurns } from './turns.ts';

/** A slot's thread ended by itself, or was terminated, while a run was in it. */
export class SlotLostError extends Error {
  override readonly name = 'SlotLostError';
}

/** A command for a run, without the number that its slot knows it by. */
type RunCommand =
  | { readonly type: 'reply'; readonly callId: number; readonly ok: boolean; readonly text: string }
  | { readonly type: 'stop' };

/** A run under way in a slot. */
export interface SlotRun {
  /** Settles once; rejects with {@link SlotLostError} when the thread is gone. */
  readonly outcome: Promise<SlotOutcome>;
  /** Gives the run a command; ignored after its end. */
  send(command: RunCommand): void;
  /** Terminates the thread. It may hang for good in a guest that V8 cannot interrupt. */
  terminate(): void;
}

/** Threads of this process make their snapshots one after the other. */
const turns = createTurns();

/** One Piscina of one thread: the smallest unit that can be terminated without a neighbour. */
class Slot {
  readonly #pool: Piscina<SlotTask, SlotOutcome>;
  #port: MessagePort | undefined;
  #ready = Promise.withResolvers<void>();
  #onEvent: ((event: SlotEvent) => void) | undefined;
  #runs = 0;

  constructor(settings: SlotSettings) {
    this.#pool = new Piscina({
      filename: import.meta.resolve('@glovebox/worker/slot'),
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Infinity,
      concurrentTasksPerWorker: 1,
      // With atomics the thread would sleep between tasks, and could prepare nothing meanwhile.
      atomics: 'disabled',
      recordTiming: false,
      workerHistogram: false,
      env: {},
      workerData: { ...settings, turns } satisfies SlotData,
    });
    this.#pool.on('message', (hello: SlotHello) => {
      this.#port = hello.port;
      hello.port.on('message', (event: SlotEvent) => this.#onEvent?.(event));
      hello.port.unref();
      this.#ready.resolve();
    });
    this.#pool.on('error', (error: Error) => this.#ready.reject(error));
    // Somebody may never wait for it.
    this.#ready.promise.catch(() => undefined);
  }

  /** Resolves when the thread has loaded; rejects when it cannot. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  run(job: Job, onEvent: (event: SlotEvent) => void): SlotRun {
    const terminator = new AbortController();
    const run = ++this.#runs;
    let ended = false;
    let seen = 0;
    let expected = Infinity;
    const complete = Promise.withResolvers<void>();
    this.#onEvent = (event) => {
      onEvent(event);
      if (++seen === expected) complete.resolve();
    };
    const outcome = this.#pool.run({ run, job }, { signal: terminator.signal }).then(
      async (value) => {
        expected = value.events;
        if (seen < expected) await complete.promise;
        return value;
      },
      (cause: unknown) => {
        // The thread that replaces it says hello anew.
        this.#ready = Promise.withResolvers<void>();
        this.#port = undefined;
        throw new SlotLostError('The thread of the run ended.', { cause });
      },
    );
    const end = (): void => {
      ended = true;
    };
    outcome.then(end, end);
    return {
      outcome,
      send: (command) => {
        if (!ended) this.#port?.postMessage({ ...command, run } satisfies SlotCommand);
      },
      terminate: () => terminator.abort(),
    };
  }

  async close(): Promise<void> {
    // A thread that is terminated while isolated-vm is at work in it takes the process with it: it
    // must have loaded, and have given its isolates up.
    const loaded = await this.#ready.promise.then(
      () => true,
      () => false,
    );
    if (loaded && this.#port !== undefined) {
      const closed = once(this.#port, 'close');
      this.#port.ref();
      this.#port.postMessage({ type: 'close' } satisfies SlotCommand);
      await closed;
    }
    await this.#pool.destroy();
  }
}

/**
 * A number of slots, each able to run one job at a time. It has no queue: whoever uses it gives a
 * job only when {@link free} is above zero.
 */
export class Slots {
  readonly #all: Slot[];
  readonly #idle: Slot[];

  constructor(count: number, settings: SlotSettings) {
    this.#all = Array.from({ length: count }, () => new Slot(settings));
    this.#idle = [...this.#all];
  }

  /** How many more jobs can be given. */
  get free(): number {
    return this.#idle.length;
  }

  /** Resolves when every thread has loaded. */
  async ready(): Promise<void> {
    await Promise.all(this.#all.map((slot) => slot.ready()));
  }

  /**
   * Runs a job in a free slot.
   *
   * @throws {RangeError} No slot is free.
   */
  run(job: Job, onEvent: (event: SlotEvent) => void): SlotRun {
    const slot = this.#idle.pop();
    if (slot === undefined) throw new RangeError('No slot is free.');
    const run = slot.run(job, onEvent);
    run.outcome.then(
      (outcome) => {
        // A condemned isolate holds its thread for good; the slot is never free again.
        if (!outcome.condemned) this.#idle.push(slot);
      },
      () =>
        slot.ready().then(
          () => this.#idle.push(slot),
          () => undefined,
        ),
    );
    return run;
  }

  /** Ends all threads. Does not return while a guest holds one that V8 cannot interrupt. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((slot) => slot.close()));
  }
}
