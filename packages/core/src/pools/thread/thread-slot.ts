import { MessageChannel } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';

import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import type {
  RunEvent,
  SlotCommand,
  SlotEvent,
  SlotOutcome,
} from '@glovebox/protocol/slot-messages';
import { SlotThread } from '@glovebox/worker';

/** A run that a slot has started. */
export interface SlotRun {
  /** Rejects with a `SlotLostError` if the thread ends first. */
  readonly outcome: Promise<SlotOutcome>;
  /** Answers a tool call. Ignored after the end of the run. */
  reply(callId: number, ok: boolean, text: string): void;
  /** Asks the slot to end the run. */
  stop(): void;
  /** Terminates the thread. It may never end if V8 cannot interrupt the guest. */
  terminate(): void;
}

interface Current {
  readonly run: number;
  readonly onEvent: (event: RunEvent) => void;
  readonly outcome: PromiseWithResolvers<SlotOutcome>;
}

/** The pool's side of a slot in a thread of this process. It runs one job at a time. */
export class ThreadSlot {
  readonly #settings: SlotSettings;
  #thread: SlotThread;
  #port: MessagePort;
  #current: Current | undefined;
  #runs = 0;
  /** A condemned isolate blocks its thread for ever, so the slot is never free again. */
  #isCondemned = false;
  #isClosing = false;

  constructor(settings: SlotSettings) {
    this.#settings = settings;
    [this.#thread, this.#port] = this.#start();
  }

  get isFree(): boolean {
    return this.#current === undefined && !this.#isCondemned;
  }

  /** Resolves when the thread has loaded; rejects when it cannot. */
  ready(): Promise<void> {
    return this.#thread.loaded();
  }

  /**
   * Runs a job.
   *
   * @throws {RangeError} The slot is not free.
   */
  run(job: Job, onEvent: (event: RunEvent) => void): SlotRun {
    if (!this.isFree) throw new RangeError('The slot is not free.');
    const run = ++this.#runs;
    const outcome = Promise.withResolvers<SlotOutcome>();
    this.#current = { run, onEvent, outcome };
    const thread = this.#thread;
    this.#send({ type: 'run', run, job });
    return {
      outcome: outcome.promise,
      reply: (callId, ok, text) => {
        if (this.#current?.run === run) this.#send({ type: 'reply', run, callId, ok, text });
      },
      stop: () => {
        if (this.#current?.run === run) this.#send({ type: 'stop', run });
      },
      terminate: () => thread.terminate(),
    };
  }

  /** Ends the thread. Does not resolve while a guest that V8 cannot interrupt blocks the thread. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Terminating a thread while isolated-vm is working in it crashes the process. So wait until the
    // thread has loaded, and let it dispose its isolates first.
    const isLoaded = await this.#thread.loaded().then(
      () => true,
      () => false,
    );
    if (isLoaded) {
      this.#port.ref();
      this.#send({ type: 'close' });
      await this.#thread.ended().catch(() => undefined);
    }
    this.#port.close();
    await this.#thread.destroy();
  }

  #start(): [SlotThread, MessagePort] {
    const { port1: port, port2: slotPort } = new MessageChannel();
    port.on('message', (event: SlotEvent) => this.#receive(event));
    port.unref();
    const thread = new SlotThread(this.#settings, { kind: 'port', port: slotPort });
    thread.ended().catch((lost: unknown) => this.#onLost(lost));
    return [thread, port];
  }

  #send(command: SlotCommand): void {
    this.#port.postMessage(command);
  }

  #receive(event: SlotEvent): void {
    const current = this.#current;
    if (current?.run !== event.run) return;
    if (event.type !== 'end') {
      current.onEvent(event);
      return;
    }
    const { type: _type, run: _run, ...outcome } = event;
    this.#current = undefined;
    this.#isCondemned = outcome.condemned;
    current.outcome.resolve(outcome);
  }

  /** The thread has ended, and with it the current run: starts another thread. */
  #onLost(lost: unknown): void {
    if (this.#isClosing) return;
    this.#port.close();
    void this.#thread.destroy();
    [this.#thread, this.#port] = this.#start();
    const current = this.#current;
    this.#current = undefined;
    current?.outcome.reject(lost);
  }
}
