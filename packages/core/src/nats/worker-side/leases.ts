import type { Limits } from '@glovebox/protocol/limits';
import { createInbox } from '@nats-io/nats-core';

import { inboxPrefix } from '../wire/connection.ts';
import type { Connection } from '../wire/connection.ts';
import type { JobAddress } from '../wire/nats-messages.ts';
import type { Subjects } from '../wire/subjects.ts';
import { Lease } from './lease.ts';
import type { LeaseOptions } from './lease.ts';

/** The leases of a worker whose run goes on, or whose end event is not confirmed. */
export class Leases {
  readonly #connection: Connection;
  readonly #subjects: Subjects;
  readonly #worker: string;
  readonly #caps: Limits;
  readonly #leases = new Map<number, Lease>();
  /**
   * The prefix of the reply subjects of end events. A message there ends the re-sends: the executor
   * does not know the job any more, or the server reports that the executor no longer exists.
   */
  readonly #inbox: string;
  #lastNumber: number;

  /**
   * @param since When the worker started. Leases are numbered from this value, so that a restarted
   * worker does not reuse the numbers of its old process.
   */
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
    this.#lastNumber = since;
    this.#inbox = createInbox(inboxPrefix(worker));
    connection.nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.#leases.get(Number(message.subject.split('.').at(-1)))?.confirm();
      },
    });
  }

  get size(): number {
    return this.#leases.size;
  }

  /** Adds a lease for a job. */
  add(
    { executor, token }: JobAddress,
    more: Pick<LeaseOptions, 'attempt' | 'heartbeatMs' | 'renew' | 'onFree'>,
  ): Lease {
    const number = ++this.#lastNumber;
    const { nats, payloads } = this.#connection;
    const origin = { job: token, worker: this.#worker, lease: number };
    const lease = new Lease({
      nats,
      payloads,
      subject: this.#subjects.event(executor, origin),
      inbox: `${this.#inbox}.${number}`,
      number,
      token,
      caps: this.#caps,
      ...more,
    });
    this.#leases.set(number, lease);
    void lease.confirmed().then(() => this.#leases.delete(number));
    return lease;
  }

  /** The lease that a command names; undefined if the command has a wrong token. */
  find({ lease, token }: { readonly lease: number; readonly token: string }): Lease | undefined {
    const found = this.#leases.get(lease);
    return found?.token === token ? found : undefined;
  }

  /** Resolves when all leases are over and their end events are confirmed. */
  async allConfirmed(): Promise<void> {
    await Promise.all(Array.from(this.#leases.values(), (lease) => lease.confirmed()));
  }

  /** Stops the heartbeats and re-sends of all leases. */
  closeAll(): void {
    for (const lease of this.#leases.values()) lease.close();
  }
}
