import type { Socket } from 'node:net';

import { encodeFrame, FrameReader, HEADER_ALLOWANCE } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { Job } from '@glovebox/protocol/job';
import { slotEventSchema } from '@glovebox/protocol/slot-messages';
import type { SlotCommandHeader, SlotOutcome } from '@glovebox/protocol/slot-messages';

import type { JobObserver } from '../worker-pool.ts';

/** A run that a slot of a host is at. */
export interface RunInSlot {
  readonly run: number;
  readonly job: Job;
  readonly observer: JobObserver;
}

/** Hears of one slot. */
export interface HostSlotObserver {
  /** Its run has ended, and its observer has not been told. */
  onEnd(ended: RunInSlot, outcome: SlotOutcome): void;
  /** It sent what is no message of its run. */
  onBreach(cause: unknown): void;
}

/** One slot of a host process, as its parent sees it: a pipe, and the run that may speak on it. */
export class HostSlot {
  readonly #pipe: Socket | undefined;
  readonly #observer: HostSlotObserver;
  readonly #reader = new FrameReader(HEADER_ALLOWANCE);
  #current: RunInSlot | undefined;
  #isClosed = false;

  /** @param pipe Absent where the process could not be started. */
  constructor(pipe: Socket | undefined, observer: HostSlotObserver) {
    this.#pipe = pipe;
    this.#observer = observer;
    pipe?.on('data', (chunk: Buffer) => this.#onData(chunk));
    // A host that died cannot be written to; its `exit` tells the rest.
    pipe?.on('error', () => undefined);
    // A run keeps this process alive by its clock; a host that waits for work must not.
    pipe?.unref();
  }

  /** The run that it is at. */
  get current(): RunInSlot | undefined {
    return this.#current;
  }

  /** Starts a job; the slot must be free. */
  start(run: number, job: Job, observer: JobObserver): void {
    const { variables, ...rest } = job;
    const { resultBytes, toolArgBytes, logBytes } = job.limits;
    this.#reader.allow(Math.max(resultBytes, toolArgBytes, logBytes) + HEADER_ALLOWANCE);
    this.#current = { run, job, observer };
    this.#send({ type: 'run', run, job: rest }, variables);
  }

  reply(run: number, callId: number, ok: boolean, text: string): void {
    if (this.#current?.run === run) this.#send({ type: 'reply', run, callId, ok }, text);
  }

  stop(run: number): void {
    if (this.#current?.run === run) this.#send({ type: 'stop', run });
  }

  /** Hears and says no more. Gives the run that it was at. */
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
        // A frame may have been the host's last.
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
      throw new Error('The slot spoke of a run that it does not have.');
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
