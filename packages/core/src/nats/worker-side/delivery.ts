import type { Msg, NatsConnection } from '@nats-io/nats-core';

/** A job as JetStream delivers it, with the acknowledgements that JetStream accepts for it. */
export class Delivery {
  readonly data: Uint8Array;
  /** How often the job has been delivered, this delivery included. */
  readonly attempt: number;
  /** The consumer that delivered it. */
  readonly consumer: string;
  readonly #nats: NatsConnection;
  readonly #ackSubject: string;

  /** @throws {Error} The message does not come from a stream. */
  constructor(nats: NatsConnection, { data, reply = '' }: Msg) {
    this.#nats = nats;
    this.#ackSubject = reply;
    this.data = data;
    const { attempt, consumer } = parseAckSubject(reply);
    this.attempt = attempt;
    this.consumer = consumer;
  }

  /** Renews the lease: the job is in progress, and must not go to another worker. */
  working(): void {
    this.#publish('+WPI');
  }

  /** The job is done. */
  ack(): void {
    this.#publish('+ACK');
  }

  /** The job is done. The same message requests the next job. */
  ackAndPull(request: string, inbox: string): void {
    this.#nats.publish(this.#ackSubject, `+NXT ${request}`, { reply: inbox });
  }

  /** Returns the job to the stream: it goes to another worker at once. */
  nak(): void {
    this.#publish('-NAK');
  }

  /** Removes the job from the stream: no worker can run it. */
  term(): void {
    this.#publish('+TERM');
  }

  #publish(acknowledgement: string): void {
    this.#nats.publish(this.#ackSubject, acknowledgement);
  }
}

/** `$JS.ACK.<stream>.<consumer>.<attempt>.…`; a domain and an account may precede the stream. */
function parseAckSubject(subject: string): { readonly consumer: string; readonly attempt: number } {
  const parts = subject.split('.');
  const [consumer = '', attempt] = parts.slice(parts.length === 9 ? 3 : 5);
  if (!subject.startsWith('$JS.ACK.') || !Number.isInteger(Number(attempt))) {
    throw new Error('A message on the inbox for jobs does not come from a stream.');
  }
  return { consumer, attempt: Number(attempt) };
}
