import { MAX_HEARD } from '../wire/nats-messages.ts';
import type { Command } from '../wire/nats-messages.ts';
import type { EventSource } from '../wire/subjects.ts';

/** For so long last words are gathered; whose was lost says it again after three seconds. */
const GATHER_MS = 50;

type HeardCommand = Extract<Command, { readonly type: 'heard' }>;

/** Tells workers which of their last words have arrived: of many runs in one message. */
export class Heard {
  readonly #tell: (worker: string, command: HeardCommand) => void;
  readonly #leases = new Map<string, HeardCommand['leases']>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (worker: string, command: HeardCommand) => void) {
    this.#tell = tell;
  }

  note({ worker, lease, job: token }: EventSource): void {
    const leases = this.#leases.get(worker) ?? [];
    this.#leases.set(worker, leases);
    if (leases.push({ lease, token }) >= MAX_HEARD) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [worker, leases] of this.#leases) this.#tell(worker, { type: 'heard', leases });
    this.#leases.clear();
  }
}
