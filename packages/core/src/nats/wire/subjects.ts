import { randomFillSync } from 'node:crypto';

import { z } from 'zod';

/** What may stand between two dots of a subject. Underscores separate parts of stream names. */
export const namePart: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'may hold letters, digits and "-", at most 64');

const NAME_BYTES = 16;
/** Drawn for many names at once: a draw costs as much for one. */
const drawn = Buffer.alloc(64 * NAME_BYTES);
let used = drawn.length;

/** A name that nobody can guess: who knows it was told. */
export function unguessable(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  used += NAME_BYTES;
  return drawn.toString('hex', used - NAME_BYTES, used);
}

/** Stands for a session where an event names a lease: those count from 1. */
export const SESSION_LEASE = 0;

/** From whom an event comes, as its subject says. The server holds workers to their own names. */
export interface EventSource {
  readonly job: string;
  readonly worker: string;
  readonly lease: number;
}

/** The names under which the parties of one pool of one tenant find each other. */
export class Subjects {
  readonly #prefix: string;
  /** The stream that holds jobs until they are done. */
  readonly stream: string;
  /** The object store for what is too large for a message. */
  readonly bucket: string;

  constructor(tenant: string, pool: string) {
    this.#prefix = `glovebox.${tenant}.${pool}`;
    this.stream = `GLOVEBOX_${tenant}_${pool}`;
    this.bucket = `GLOVEBOX_${tenant}_${pool}`;
  }

  /** Jobs that so many runs wait for. */
  jobs(depth: number | '*'): string {
    return `${this.#prefix}.job.${depth}`;
  }

  /** @param created When the stream was made, as an ISO time. */
  consumer(depth: number, created: string): string {
    return `level-${depth}-${created.replaceAll(/\D/g, '')}`;
  }

  /** What a worker says of a job to the executor that gave it. */
  event(executor: string, { job, worker, lease }: EventSource): string {
    return `${this.#prefix}.event.${executor}.${job}.${worker}.${lease}`;
  }

  events(executor: string): string {
    return `${this.#prefix}.event.${executor}.>`;
  }

  /** What executors say to a worker. */
  command(worker: string): string {
    return `${this.#prefix}.command.${worker}`;
  }

  /** Heartbeats of workers. */
  hello(worker: string): string {
    return `${this.#prefix}.hello.${worker}`;
  }

  /** Asks whether anybody takes jobs. */
  get ping(): string {
    return `${this.#prefix}.ping`;
  }

  /** Says of which code hosts and workers have died. */
  get kill(): string {
    return `${this.#prefix}.kill`;
  }
}

/** Who sent an event; undefined where the subject is none. */
export function sourceOfEvent(subject: string): EventSource | undefined {
  const [job, worker, lease] = subject.split('.').slice(5);
  if (job === undefined || worker === undefined || !/^\d{1,15}$/.test(lease ?? ''))
    return undefined;
  return { job, worker, lease: Number(lease) };
}
