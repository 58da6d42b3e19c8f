import { messageOf } from '../shared/message-of.ts';
import type { PlanEvent, PlanEventBody } from './plan-events.ts';
import { writeLine } from './session-log.ts';
import type { SessionHeader, SessionWriter } from './session-log.ts';
import { SessionState } from './session-state.ts';

export interface JournalOptions {
  readonly header: SessionHeader;
  /** Undefined if the session is not stored. */
  readonly writer: SessionWriter | undefined;
  readonly now: () => number;
  readonly onEvent: ((event: PlanEvent) => void) | undefined;
  /** Events that were read from the log. */
  readonly past: readonly PlanEvent[];
}

/** The log could not be written. */
export class JournalError extends Error {
  override readonly name = 'JournalError';
}

/** Numbers and writes the events of a session. An event takes effect after it is written. */
export class Journal {
  readonly header: SessionHeader;
  readonly events: PlanEvent[];
  readonly state = new SessionState();
  readonly #options: JournalOptions;
  #last: Promise<void> = Promise.resolve();
  #isBroken = false;

  /** Throws if the past events are inconsistent. */
  constructor(options: JournalOptions) {
    this.header = options.header;
    this.#options = options;
    this.events = [...options.past];
    for (const event of options.past) this.state.apply(event);
  }

  /**
   * Resolves when the event is written. Branches emit in parallel: events are written one after the
   * other, in the order of the calls.
   */
  emit(body: PlanEventBody): Promise<void> {
    const done = this.#last.then(() => this.#write(body));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Publishes an event without writing it, after the log has failed. */
  emitUnwritten(body: PlanEventBody): void {
    this.#publish(this.#eventOf(body));
  }

  async #write(body: PlanEventBody): Promise<void> {
    const { writer } = this.#options;
    // A line after a missing line would make the log inconsistent.
    if (this.#isBroken) throw new JournalError('An earlier line of the log could not be written.');
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
      // An error in the caller's callback must not end the session: it becomes uncaught.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
