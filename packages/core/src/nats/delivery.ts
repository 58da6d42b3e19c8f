import type { Msg, NatsConnection } from '@nats-io/nats-core';

/**
 * A job as the server delivers it, and what it is told about the job: the words of JetStream's
 * acknowledgements.
 */
export class Delivery {
  readonly data: Uint8Array;
  /** How often the job was delivered, this time included. */
  readonly attempt: number;
  readonly #nats: NatsConnection;
  readonly #subject: string;

  /** @throws {Error} The message is none of a stream. */
  constructor(nats: NatsConnection, { data, reply = '' }: Msg) {
    this.#nats = nats;
    this.#subject = reply;
    this.data = data;
    this.attempt = attemptOf(reply);
  }

  /** It goes on: nobody else is to get the job. */
  working(): void {
    this.#say('+WPI');
  }

  /** It is done. */
  ack(): void {
    this.#say('+ACK');
  }

  /** It is done, and the next one is wanted: two messages in one. */
  ackAndPull(request: string, inbox: string): void {
    this.#nats.publish(this.#subject, `+NXT ${request}`, { reply: inbox });
  }

  /** Somebody else is to get it, at once. */
  giveBack(): void {
    this.#say('-NAK');
  }

  /** Nobody can do it. */
  giveUp(): void {
    this.#say('+TERM');
  }

  #say(word: string): void {
    this.#nats.publish(this.#subject, word);
  }
}

/** `$JS.ACK.<stream>.<consumer>.<attempt>.…`, or the same behind a domain and an account. */
function attemptOf(subject: string): number {
  const parts = subject.split('.');
  const attempt = Number(parts.length === 9 ? parts[4] : parts[6]);
  if (!subject.startsWith('$JS.ACK.') || !Number.isInteger(attempt)) {
    throw new Error('A message came that is no job of a stream.');
  }
  return attempt;
}
