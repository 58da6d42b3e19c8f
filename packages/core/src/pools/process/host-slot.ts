import type { Socket } from 'node:net';

import { encodeFrame, FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import { MAX_HOST_EVENT_BYTES, maxEventBytes } from '@glovebox/protocol/frame-limits';
import type { Job } from '@glovebox/protocol/job';
import { slotEventSchema } from '@glovebox/protocol/slot-messages';
import type { SlotCommandHeader, SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { JobObserver } from '../worker-pool.ts';

/** The run that a slot of a host is executing. */
export interface RunInSlot {
  readonly run: number;
  readonly job: Job;
  readonly observer: JobObserver;
}

/** Receives the events of one slot. */
export interface HostSlotObserver {
  /** The run has ended. This method must notify the run's own observer. */
  onEnd(ended: RunInSlot, outcome: SlotOutcome): void;
  /** The slot sent an invalid message, or one that does not belong to its current run. */
  onBreach(cause: unknown): void;
}

/** The parent's side of one slot of a host process: a pipe, and the current run. */
export class HostSlot {
  readonly #pipe: Socket | undefined;
  readonly #observer: HostSlotObserver;
  readonly #reader = new FrameReader(MAX_HOST_EVENT_BYTES);
  #current: RunInSlot | undefined;
  #isClosed = false;

  /** @param pipe Undefined if the process could not be started. */
  constructor(pipe: Socket | undefined, observer: HostSlotObserver) {
    this.#pipe = pipe;
    this.#observer = observer;
    pipe?.on('data', (chunk: Buffer) => this.#onData(chunk));
    // Writing to a host that died fails. The `exit` event of the process handles its death.
    pipe?.on('error', () => undefined);
    // An idle host must not keep this process alive. The clock of a run does so while it lasts.
    pipe?.unref();
  }

  /** The run that the slot is executing. */
  get current(): RunInSlot | undefined {
    return this.#current;
  }

  /** Starts a job. The slot must be free. */
  start(run: number, job: Job, observer: JobObserver): void {
    const { variables, ...rest } = job;
    this.#reader.allow(maxEventBytes(job.limits));
    this.#current = { run, job, observer };
    this.#send({ type: 'run', run, job: rest }, variables);
  }

  reply(run: number, callId: number, ok: boolean, text: string): void {
    if (this.#current?.run === run) this.#send({ type: 'reply', run, callId, ok }, text);
  }

  stop(run: number): void {
    if (this.#current?.run === run) this.#send({ type: 'stop', run });
  }

  /** Closes the pipe. Returns the run that the slot was executing. */
  close(): RunInSlot | undefined {
    const current = this.#current;
    this.#current = undefined;
    this.#isClosed = true;
    this.#pipe?.destroy();
    return current;
  }

  #send(command: SlotCommandHeader, body = ''): void {
    this.#pipe?.write(encodeFrame<SlotCommandHeader>(command, body));
  }

  #onData(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) {
        // Handling a frame may have closed the slot.
        if (this.#isClosed) return;
        this.#receive(frame);
      }
    } catch (cause) {
      this.#observer.onBreach(cause);
    }
  }

  #receive(frame: Frame): void {
    const event = slotEventSchema.parse(frame.header);
    const current = this.#current;
    if (current?.run !== event.run) {
      throw new Error('The slot sent an event of a run that is not its current one.');
    }
    switch (event.type) {
      case 'log':
        current.observer.onLog(event.level, frame.body);
        return;
      case 'call':
        current.observer.onCall(event.callId, event.tool, frame.body);
        return;
      case 'end': {
        const { type: _type, run: _run, ...outcome } = event;
        this.#current = undefined;
        this.#observer.onEnd(current, { ...outcome, text: frame.body });
      }
    }
  }
}
