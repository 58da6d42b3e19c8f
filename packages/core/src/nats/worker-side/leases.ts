import type { Limits } from '@glovebox/protocol/limits';
import { createInbox } from '@nats-io/nats-core';

import { inboxPrefix } from '../wire/nats-connection.ts';
import type { Connection } from '../wire/nats-connection.ts';
import type { Address } from '../wire/nats-messages.ts';
import type { Subjects } from '../wire/subjects.ts';
import { Lease } from './lease.ts';
import type { LeaseOptions } from './lease.ts';

/** The leases of a worker that are not over: the run goes on, or its executor has not heard. */
export class Leases {
  readonly #connection: Connection;
  readonly #subjects: Subjects;
  readonly #worker: string;
  readonly #caps: Limits;
  readonly #leases = new Map<number, Lease>();
  /** Where the server says that an executor is gone. */
  readonly #inbox: string;
  #last: number;

  /** @param since No lease has the number of one that an earlier worker of the same name had. */
  constructor(
    connection: Connection,
    subjects: Subjects,
    worker: string,
    caps: Limits,
    since: number,
  ) {
    this.#connection = connection;
    this.#subjects = subjects;
    this.#worker = worker;
    this.#caps = caps;
    this.#last = since;
    this.#inbox = createInbox(inboxPrefix(worker));
    connection.nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#leases.get(Number(message.subject.split('.').at(-1)))?.heard();
      },
    });
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Takes a job. */
  add(
    { executor, token }: Address,
    more: Pick<LeaseOptions, 'attempt' | 'aliveMs' | 'renew' | 'onFree'>,
  ): Lease {
    const number = ++this.#last;
    const { nats, payloads } = this.#connection;
    const source = { job: token, worker: this.#worker, lease: number };
    const lease = new Lease({
      nats,
      payloads,
      subject: this.#subjects.event(executor, source),
      inbox: `${this.#inbox}.${number}`,
      number,
      token,
      caps: this.#caps,
      ...more,
    });
    this.#leases.set(number, lease);
    void lease.told().then(() => this.#leases.delete(number));
    return lease;
  }

  /** The lease that a command is about, if whoever sent it knows its token. */
  find({ lease, token }: { readonly lease: number; readonly token: string }): Lease | undefined {
    const found = this.#leases.get(lease);
    return found?.token === token ? found : undefined;
  }

  /** Resolves when all executors have heard how their runs ended. */
  async told(): Promise<void> {
    await Promise.all(Array.from(this.#leases.values(), (lease) => lease.told()));
  }

  /** Waits for nobody any longer. */
  abandon(): void {
    for (const lease of this.#leases.values()) lease.abandon();
  }
}
