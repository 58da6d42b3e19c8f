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

import { isNoResponse } from '../wire/connection.ts';
import type { Connection } from '../wire/connection.ts';
import { UnreachableError } from '../wire/retry-until-reachable.ts';
import type { Subjects } from '../wire/subjects.ts';
import type { JobSource } from './job-puller.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long the stream recognizes a message ID: it does not store a repeated message again. */
const DUPLICATES_MS = 2 * 60 * 1000;
/** Time-out of an information request. Callers retry after the `UnreachableError`. */
const INFO_TIMEOUT_MS = 2000;
const NOT_FOUND = 404;

/** How the first worker of a pool creates its stream, object store and consumers. */
export interface StreamSettings {
  /** With `memory`, a restart of the server loses waiting jobs: executors re-send them. */
  readonly storage: 'memory' | 'file';
  readonly replicas: number;
  /** How many jobs may wait or run. */
  readonly maxJobs: number;
  /** The size of the object store for large values, in bytes. */
  readonly storeBytes: number;
  /** A job whose worker does not renew its lease for this long goes to another worker. */
  readonly leaseMs: number;
}

/**
 * Creates the stream and the object store of a pool if they do not exist.
 *
 * @throws {UnreachableError} JetStream does not respond.
 * @returns When the stream was created. The value identifies the stream: a recreated one numbers its
 * jobs from 1 again.
 */
export async function ensureStream(
  { manager, nats }: Pick<Connection, 'manager' | 'nats'>,
  subjects: Subjects,
  settings: StreamSettings,
): Promise<string> {
  const storage = settings.storage === 'file' ? StorageType.File : StorageType.Memory;
  const { replicas } = settings;
  const { created } = await findOrCreate<{ readonly created: string }>(
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
        // Deletes jobs that no executor removed, such as after a crash.
        max_age: nanos(DAY_MS),
        duplicate_window: nanos(DUPLICATES_MS),
      }),
  );
  await findOrCreate<unknown>(
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
 * Creates the consumer for jobs of one depth if it does not exist. Its name contains the time at which
 * the stream was created, because an acknowledgement names a job by consumer and number: otherwise, a
 * late acknowledgement for a lost stream would remove another job from the recreated one.
 *
 * @param created When the stream was created.
 */
export async function ensureConsumer(
  manager: JetStreamManager,
  subjects: Subjects,
  settings: StreamSettings,
  depth: number,
  created: string,
): Promise<JobSource> {
  const name = subjects.consumer(depth, created);
  const { config } = await findOrCreate(
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
    // Another worker may have created the consumer, with another lease.
    leaseMs: (config.ack_wait ?? nanos(settings.leaseMs)) / 1e6,
  };
}

/**
 * Creates only what does not exist: a user that may not create streams can use existing ones. No
 * response, such as during the election of a stream's leader, does not show whether it exists.
 */
async function findOrCreate<T>(find: () => Promise<T>, create: () => Promise<T>): Promise<T> {
  try {
    return await deadline(find(), INFO_TIMEOUT_MS);
  } catch (cause) {
    if (cause instanceof JetStreamApiError && cause.status === NOT_FOUND) return await create();
    if (!isNoResponse(cause)) throw cause;
    const message =
      'JetStream does not respond; check that it is enabled, and that most of its servers run.';
    throw new UnreachableError(message, { cause });
  }
}
