import { MAX_CONFIRMED } from '../wire/nats-messages.ts';
import type { Command } from '../wire/nats-messages.ts';
import type { EventOrigin } from '../wire/subjects.ts';

/**
 * For how long confirmations are collected into one batch. It is far less than the 3 s after which a
 * worker re-sends an unconfirmed end event.
 */
const BATCH_MS = 50;

type ConfirmCommand = Extract<Command, { readonly type: 'confirm' }>;

/** Confirms to workers that their end events have arrived, in batches for many runs. */
export class EndConfirmations {
  readonly #send: (worker: string, command: ConfirmCommand) => void;
  readonly #leases = new Map<string, ConfirmCommand['leases']>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (worker: string, command: ConfirmCommand) => void) {
    this.#send = send;
  }

  add({ worker, lease, job: token }: EventOrigin): void {
    const leases = this.#leases.get(worker) ?? [];
    this.#leases.set(worker, leases);
    if (leases.push({ lease, token }) >= MAX_CONFIRMED) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  /** Sends all batches now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [worker, leases] of this.#leases) this.#send(worker, { type: 'confirm', leases });
    this.#leases.clear();
  }
}
