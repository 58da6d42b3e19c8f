import { setTimeout as delay } from 'node:timers/promises';

import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import { JetStreamApiError } from '@nats-io/jetstream';

import { messageOf } from '../../shared/message-of.ts';
import { isNoResponse } from '../wire/connection.ts';
import type { Connection } from '../wire/connection.ts';
import { NATS_PROTOCOL, WIRE_DEFAULT_LIMITS } from '../wire/nats-messages.ts';
import type { SentAssignment } from '../wire/nats-messages.ts';
import type { PackedFrame } from '../wire/payloads.ts';
import type { Subjects } from '../wire/subjects.ts';
import type { RemoteJob } from './remote-job.ts';

/** The longest pause between attempts to store a job; pauses double up to this. */
const MAX_RETRY_MS = 500;
/** JetStream's error code for a full stream. */
const STREAM_IS_FULL = 10077;

/** The part of the executor's link that submissions use. */
export interface SubmissionsLink {
  readonly executor: string;
  readonly isConnected: boolean;
  /** Undefined until the first connection is open. */
  readonly connection: Connection | undefined;
  /** Whether a worker takes jobs. Returns a promise only if that is not known yet. */
  hasWorker(): boolean | Promise<boolean>;
  /** Why no worker takes jobs. */
  readonly noWorkerReason: string;
}

/** A job in the stream, or on its way there. */
interface Submission {
  readonly job: RemoteJob;
  readonly depth: number;
  timer: NodeJS.Timeout | undefined;
  /** The sequence number of the job in the stream, once it is stored. */
  sequence: number | undefined;
  packed: PackedFrame | undefined;
  /**
   * How often the job was submitted. It is part of the message ID: the stream stores a repeated
   * message once, but a resubmitted job again.
   */
  submitCount: number;
  /** No worker reported an outcome: the executor deletes the job from the stream. */
  mustDelete: boolean;
}

/** The message and the body that a worker reads. */
export function assignmentOf(
  job: RemoteJob,
  executor: string,
): { readonly assignment: SentAssignment; readonly variables: string } {
  const { variables, limits, tools, ...rest } = job.job;
  return {
    assignment: {
      protocol: NATS_PROTOCOL,
      executor,
      token: job.token,
      job: { ...rest, tools: [...tools], limits: nonDefaultLimits(limits) },
    },
    variables,
  };
}

function nonDefaultLimits(limits: Job['limits']): Partial<Limits> {
  const result: Partial<Record<string, number>> = {};
  for (const [name, limit] of Object.entries(limits)) {
    if (WIRE_DEFAULT_LIMITS[name as keyof Limits] !== limit) result[name] = limit;
  }
  return result;
}

/** The jobs that an executor has put into the stream of its pool. */
export class Submissions {
  readonly #link: SubmissionsLink;
  readonly #subjects: Subjects;
  readonly #queueMs: number;
  readonly #submissions = new Map<RemoteJob, Submission>();
  readonly #cleanUps = new Set<Promise<void>>();

  constructor(link: SubmissionsLink, subjects: Subjects, queueMs: number) {
    this.#link = link;
    this.#subjects = subjects;
    this.#queueMs = queueMs;
  }

  /** Jobs that no worker has started. */
  get waiting(): readonly RemoteJob[] {
    return [...this.#submissions.keys()].filter((job) => job.isWaiting);
  }

  add(job: RemoteJob, depth: number): void {
    const submission: Submission = {
      job,
      depth,
      timer: undefined,
      sequence: undefined,
      packed: undefined,
      submitCount: 1,
      mustDelete: false,
    };
    this.#submissions.set(job, submission);
    const limit = this.#queueMs;
    submission.timer = setTimeout(() => {
      if (!job.isWaiting) return;
      const message = `No worker took the run within ${limit} ms; add workers or raise queueMs.`;
      job.fail('QUEUE_TIMEOUT', message, 'no', { limit, used: limit });
    }, limit);
    void this.#publish(submission);
  }

  /** Puts a job into the stream once more, for any worker. */
  resubmit(job: RemoteJob): void {
    const submission = this.#submissions.get(job);
    if (submission === undefined) return;
    submission.submitCount++;
    void this.#publish(submission);
  }

  /**
   * Re-sends all waiting jobs after a reconnect: the server may have lost them. It recognizes those
   * that it still has by their message IDs.
   */
  republish(): void {
    for (const submission of this.#submissions.values()) {
      // If the stream was recreated, the old number may belong to another job.
      submission.sequence = undefined;
      if (submission.job.isWaiting) void this.#publish(submission);
    }
  }

  /** @param hasOutcome A worker reported an outcome, and removes the job from the stream itself. */
  remove(job: RemoteJob, hasOutcome: boolean): void {
    const submission = this.#submissions.get(job);
    if (submission === undefined) return;
    this.#submissions.delete(job);
    clearTimeout(submission.timer);
    submission.mustDelete = !hasOutcome;
    this.#cleanUp(submission);
  }

  /** Resolves when the server holds nothing more of jobs that are over. */
  async cleanedUp(): Promise<void> {
    await Promise.all(this.#cleanUps);
  }

  async #publish(submission: Submission): Promise<void> {
    const { job, depth, submitCount } = submission;
    try {
      const hasWorker = this.#link.hasWorker();
      if (!(hasWorker instanceof Promise ? await hasWorker : hasWorker)) {
        job.fail('HOST_LOST', this.#link.noWorkerReason, 'no');
        return;
      }
      const { connection } = this.#link;
      if (job.isOver || connection === undefined) return;
      if (submission.packed === undefined) {
        const { assignment, variables } = assignmentOf(job, this.#link.executor);
        const { executor, token } = assignment;
        const packed = connection.payloads.pack<SentAssignment>(assignment, variables, {
          executor,
          token,
        });
        submission.packed = packed instanceof Promise ? await packed : packed;
      }
      const { bytes } = submission.packed;
      const msgID = `${job.token}.${submitCount}`;
      submission.sequence = await this.#store(connection, this.#subjects.jobs(depth), bytes, {
        msgID,
        isWanted: () => !job.isOver && this.#link.isConnected,
      });
      // The job may have ended while it was being stored.
      if (job.isOver) this.#cleanUp(submission);
    } catch (error) {
      this.#onError(job, error);
    }
  }

  /**
   * Stores a job, and retries while JetStream does not respond. That happens after a restart, until
   * workers have recreated a stream that the server kept in memory; and in a cluster, until the
   * servers have elected another leader, which takes up to ten seconds.
   */
  async #store(
    { jetstream }: Connection,
    subject: string,
    bytes: Uint8Array,
    { msgID, isWanted }: { readonly msgID: string; readonly isWanted: () => boolean },
  ): Promise<number> {
    for (let waitMs = 50; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      try {
        return (await jetstream.publish(subject, bytes, { msgID })).seq;
      } catch (error) {
        if (!isNoResponse(error) || !isWanted()) throw error;
        await delay(waitMs);
      }
    }
  }

  #onError(job: RemoteJob, cause: unknown): void {
    if (cause instanceof JetStreamApiError && cause.code === STREAM_IS_FULL) {
      const message =
        'The stream or the object store of the pool is full; add workers, or submit fewer runs and smaller values.';
      job.fail('QUEUE_FULL', message, 'no', { cause });
    } else if (this.#link.connection === undefined || this.#link.isConnected) {
      const message = `The run could not be submitted to the server. ${messageOf(cause)}`;
      job.fail('HOST_LOST', message, 'no', { cause });
    }
    // Otherwise the server is unreachable for now: the job is re-sent after the reconnect.
  }

  /** Deletes what the server still holds of a job. */
  #cleanUp({ sequence, packed, mustDelete }: Submission): void {
    const work = [
      mustDelete && sequence !== undefined ? this.#deleteFromStream(sequence) : undefined,
      packed?.stored === undefined
        ? undefined
        : this.#link.connection?.payloads.discard(packed.stored),
    ];
    for (const each of work) {
      if (each === undefined) continue;
      this.#cleanUps.add(each);
      void each.then(() => this.#cleanUps.delete(each));
    }
  }

  async #deleteFromStream(sequence: number): Promise<void> {
    try {
      const { stream } = this.#subjects;
      await this.#link.connection?.manager.streams.deleteMessage(stream, sequence, false);
    } catch {
      // A worker has already removed it, or the server is unreachable. In the latter case, the
      // executor tells the worker that takes the job to end it.
    }
  }
}
