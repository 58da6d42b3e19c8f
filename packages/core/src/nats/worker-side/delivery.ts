import type { Msg, NatsConnection } from '@nats-io/nats-core';

/**
 * A job as the server delivers it, and what it is told about the job: the words of JetStream's
 * acknowledgements.
 */
export class Delivery {
  readonly data: Uint8Array;
  /** How often the job was delivered, this time included. */
  readonly attempt: number;
  /** The consumer that delivers it. */
  readonly consumer: string;
  readonly #nats: NatsConnection;
  readonly #subject: string;

  /** @throws {Error} The message is none of a stream. */
  constructor(nats: NatsConnection, { data, reply = '' }: Msg) {
    this.#nats = nats;
    this.#subject = reply;
    this.data = data;
    const { attempt, consumer } = readSubject(reply);
    this.attempt = attempt;
    this.consumer = consumer;
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
function readSubject(subject: string): { readonly consumer: string; readonly attempt: number } {
  const parts = subject.split('.');
  const [consumer = '', attempt] = parts.slice(parts.length === 9 ? 3 : 5);
  if (!subject.startsWith('$JS.ACK.') || !Number.isInteger(Number(attempt))) {
    throw new Error('A message came that is no job of a stream.');
  }
  return { consumer, attempt: Number(attempt) };
}
