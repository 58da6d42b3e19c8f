import { randomFillSync } from 'node:crypto';

import { z } from 'zod';

/** One token of a subject. It has no underscore: underscores separate the parts of stream names. */
export const namePart: z.ZodString = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'may hold letters, digits and "-", at most 64');

const NAME_BYTES = 16;
/** Random bytes for many names: one large draw costs as much as a small one. */
const randomBytes = Buffer.alloc(64 * NAME_BYTES);
let usedBytes = randomBytes.length;

/** A name of 128 random bits. Nobody can guess it: a party that knows it was given it. */
export function randomName(): string {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += NAME_BYTES;
  return randomBytes.toString('hex', usedBytes - NAME_BYTES, usedBytes);
}

/** The lease number in the subject of a session. The leases of runs have greater numbers. */
export const SESSION_LEASE = 0;

/** The sender of an event, from the subject. The server allows a worker only its own name. */
export interface EventOrigin {
  /** The token of the job, or the name of the session. */
  readonly job: string;
  readonly worker: string;
  readonly lease: number;
}

/** The subjects, the stream and the object store of one pool of one tenant. */
export class Subjects {
  readonly #prefix: string;
  /** The stream that holds jobs until they are done. */
  readonly stream: string;
  /** The object store for frames that are too large for a message. */
  readonly bucket: string;

  constructor(tenant: string, pool: string) {
    this.#prefix = `glovebox.${tenant}.${pool}`;
    this.stream = `GLOVEBOX_${tenant}_${pool}`;
    this.bucket = `GLOVEBOX_${tenant}_${pool}`;
  }

  /** @param depth How many runs wait for the job: 0, or more for a run that a tool has started. */
  jobs(depth: number | '*'): string {
    return `${this.#prefix}.job.${depth}`;
  }

  /** @param created When the stream was created, as an ISO time. */
  consumer(depth: number, created: string): string {
    return `level-${depth}-${created.replaceAll(/\D/g, '')}`;
  }

  /** Events of one lease, to the executor of the job. */
  event(executor: string, { job, worker, lease }: EventOrigin): string {
    return `${this.#prefix}.event.${executor}.${job}.${worker}.${lease}`;
  }

  /** All events for an executor. */
  events(executor: string): string {
    return `${this.#prefix}.event.${executor}.>`;
  }

  /** Commands of executors to a worker. */
  command(worker: string): string {
    return `${this.#prefix}.command.${worker}`;
  }

  /** Heartbeats of a worker. */
  hello(worker: string): string {
    return `${this.#prefix}.hello.${worker}`;
  }

  /** Requests to which a worker that takes jobs responds. */
  get ping(): string {
    return `${this.#prefix}.ping`;
  }

  /** Reports of code that has killed a host or a worker. */
  get kill(): string {
    return `${this.#prefix}.kill`;
  }
}

/** The sender of an event; undefined if the subject is not one of an event. */
export function parseEventSubject(subject: string): EventOrigin | undefined {
  const [job, worker, lease] = subject.split('.').slice(5);
  if (job === undefined || worker === undefined || !/^\d{1,15}$/.test(lease ?? ''))
    return undefined;
  return { job, worker, lease: Number(lease) };
}
