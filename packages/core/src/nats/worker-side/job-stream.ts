import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import type { JetStreamManager } from '@nats-io/jetstream';
import { deadline, nanos } from '@nats-io/nats-core';
import { Objm } from '@nats-io/obj';

import { isUnheard } from '../wire/nats-connection.ts';
import type { Connection } from '../wire/nats-connection.ts';
import { UnreachableError } from '../wire/retry-until-reachable.ts';
import type { Subjects } from '../wire/subjects.ts';
import type { JobSource } from './job-puller.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Names of jobs are known for so long: one that is published again is not stored again. */
const DUPLICATES_MS = 2 * 60 * 1000;
/** How long to wait for word of what is there; the question is put again. */
const LOOK_MS = 2000;
const NOT_FOUND = 404;

/** How a pool's stream is made, by the first worker that comes. */
export interface StreamSettings {
  /** `memory` forgets what waits when the server restarts: executors send it again. */
  readonly storage: 'memory' | 'file';
  readonly replicas: number;
  /** Jobs that may wait or be under way. */
  readonly maxJobs: number;
  /** What large values may take in the object store, in bytes. */
  readonly storeBytes: number;
  /** After how long without a sign from its worker a job is given to another one. */
  readonly leaseMs: number;
}

/**
 * Makes the stream and the object store of a pool where they are not there.
 *
 * @throws {UnreachableError}
 * @returns When the stream was made: one that was lost with its server's memory and made anew counts
 * its jobs anew, and is another one.
 */
export async function ensureStream(
  { manager, nats }: Pick<Connection, 'manager' | 'nats'>,
  subjects: Subjects,
  settings: StreamSettings,
): Promise<string> {
  const storage = settings.storage === 'file' ? StorageType.File : StorageType.Memory;
  const { replicas } = settings;
  const { created } = await orMake<{ readonly created: string }>(
    () => manager.streams.info(subjects.stream),
    () =>
      manager.streams.add({
        name: subjects.stream,
        subjects: [subjects.jobs('*')],
        retention: RetentionPolicy.Workqueue,
        discard: DiscardPolicy.New,
        storage,
        num_replicas: replicas,
        max_msgs: settings.maxJobs,
        // What nobody wants any more must not stay for ever.
        max_age: nanos(DAY_MS),
        duplicate_window: nanos(DUPLICATES_MS),
      }),
  );
  await orMake<unknown>(
    () => manager.streams.info(`OBJ_${subjects.bucket}`),
    () =>
      new Objm(nats).create(subjects.bucket, {
        storage,
        replicas,
        max_bytes: settings.storeBytes,
        ttl: nanos(DAY_MS),
      }),
  );
  return created;
}

/**
 * The consumer through which workers take jobs that so many runs wait for. Its name has the time at
 * which the stream was made, as acknowledgements name a job by the consumer and a number: a late one
 * for the stream that was lost would take another job out of the new one.
 *
 * @param created When the stream was made.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  subjects: Subjects,
  settings: StreamSettings,
  depth: number,
  created: string,
): Promise<JobSource> {
  const name = subjects.consumer(depth, created);
  const { config } = await orMake(
    () => manager.consumers.info(subjects.stream, name),
    () =>
      manager.consumers.add(subjects.stream, {
        durable_name: name,
        filter_subject: subjects.jobs(depth),
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(settings.leaseMs),
        max_ack_pending: settings.maxJobs,
        max_waiting: 16_384,
      }),
  );
  return {
    subject: `$JS.API.CONSUMER.MSG.NEXT.${subjects.stream}.${name}`,
    consumer: name,
    // Another worker may have made it with another lease.
    leaseMs: (config.ack_wait ?? nanos(settings.leaseMs)) / 1e6,
  };
}

/**
 * Looks first: whoever may not make streams may use those that are there. Where nobody answers, as
 * while a cluster elects who leads a stream, nothing is known of it.
 */
async function orMake<T>(look: () => Promise<T>, make: () => Promise<T>): Promise<T> {
  try {
    return await deadline(look(), LOOK_MS);
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.status === NOT_FOUND) return await make();
    if (!isUnheard(cause)) throw cause;
    const message = 'JetStream does not answer: is it enabled, and are most of its servers there?';
    throw new UnreachableError(message, { cause });
  }
}
