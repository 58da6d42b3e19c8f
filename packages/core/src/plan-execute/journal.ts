import { messageOf } from '../shared/message-of.ts';
import type { PlanEvent, PlanEventBody } from './plan-events.ts';
import { writeLine } from './session-log.ts';
import type { SessionHeader, SessionWriter } from './session-log.ts';
import { SessionState } from './session-state.ts';

export interface JournalOptions {
  readonly header: SessionHeader;
  /** Undefined where the session is not kept. */
  readonly writer: SessionWriter | undefined;
  readonly now: () => number;
  readonly onEvent: ((event: PlanEvent) => void) | undefined;
  /** What was read of the log. */
  readonly past: readonly PlanEvent[];
}

/** The log could not be written. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Numbers the events of a session, writes them, and only then lets them count and be seen. */
export class Journal {
  readonly header: SessionHeader;
  readonly events: PlanEvent[];
  readonly state = new SessionState();
  readonly #options: JournalOptions;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;

  /** Throws where the past does not add up. */
  constructor(options: JournalOptions) {
    this.header = options.header;
    this.#options = options;
    this.events = [...options.past];
    for (const event of options.past) this.state.apply(event);
  }

  /**
   * Resolves when the event is written. Branches emit at the same time: events are written one
   * after the other, in the order of the calls.
   */
  emit(body: PlanEventBody): Promise<void> {
    const done = this.#last.then(() => this.#write(body));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Makes an event seen that cannot be written any more. */
  emitUnwritten(body: PlanEventBody): void {
    this.#publish(this.#eventOf(body));
  }

  async #write(body: PlanEventBody): Promise<void> {
    const { writer } = this.#options;
    // What comes after a line that is missing would be a lie.
    if (this.#isBroken) throw new JournalError('The log could not be written before.');
    const event = this.#eventOf(body);
    try {
      await writer?.append(writeLine(event));
    } catch (cause) {
      this.#isBroken = true;
      const why = messageOf(cause);
      throw new JournalError(`The log could not be written: ${why}`, { cause });
    }
    this.#publish(event);
  }

  #eventOf(body: PlanEventBody): PlanEvent {
    return { seq: this.events.length + 1, ts: this.#options.now(), ...body };
  }

  #publish(event: PlanEvent): void {
    this.state.apply(event);
    this.events.push(event);
    try {
      this.#options.onEvent?.(event);
    } catch (error) {
      // A fault of the caller's callback is the caller's: it must not end the session.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
