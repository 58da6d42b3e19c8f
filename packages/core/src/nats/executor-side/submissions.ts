import { setTimeout as delay } from 'node:timers/promises';

import type { Job } from '@glovebox/protocol/job';
import type { Limits } from '@glovebox/protocol/limits';
import { JetStreamApiError } from '@nats-io/jetstream';

import { messageOf } from '../../shared/message-of.ts';
import { isUnheard } from '../wire/nats-connection.ts';
import type { Connection } from '../wire/nats-connection.ts';
import { NATS_PROTOCOL, USUAL_LIMITS } from '../wire/nats-messages.ts';
import type { SentAssignment } from '../wire/nats-messages.ts';
import type { Packed } from '../wire/payloads.ts';
import type { Subjects } from '../wire/subjects.ts';
import type { RemoteJob } from './remote-job.ts';

/** Between attempts to store a job where nobody stores it: longer each time, up to this. */
const MAX_RETRY_MS = 500;
/** JetStream's number for a stream that takes no more messages. */
const STREAM_IS_FULL = 10077;

/** What submissions need of the line. */
export interface SubmissionsLink {
  readonly executor: string;
  readonly isConnected: boolean;
  /** Undefined until there is one. */
  readonly connection: Connection | undefined;
  /** Whether anybody takes jobs: at once where that is known. */
  hasWorker(): boolean | Promise<boolean>;
  /** Why nobody does. */
  readonly wantOfWorkers: string;
}

/** A job in the stream, or on its way there. */
interface Submission {
  readonly job: RemoteJob;
  readonly depth: number;
  timer: NodeJS.Timeout | undefined;
  /** Its place in the stream, once it has one. */
  sequence: number | undefined;
  packed: Packed | undefined;
  /** How often it was given to whoever takes it; what is published again is not stored twice. */
  tries: number;
  /** It ended otherwise than by its worker's word. */
  isAbandoned: boolean;
}

/** A job as its worker is to read it. */
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
      job: { ...rest, tools: [...tools], limits: unusual(limits) },
    },
    variables,
  };
}

/** The limits that have to be said. */
function unusual(limits: Job['limits']): Partial<Limits> {
  const said: Partial<Record<string, number>> = {};
  for (const [name, limit] of Object.entries(limits)) {
    if (USUAL_LIMITS[name as keyof Limits] !== limit) said[name] = limit;
  }
  return said;
}

/** The jobs that an executor has put into the stream of its pool. */
export class Submissions {
  readonly #link: SubmissionsLink;
  readonly #subjects: Subjects;
  readonly #queueMs: number;
  readonly #submissions = new Map<RemoteJob, Submission>();
  readonly #cleaning = new Set<Promise<void>>();

  constructor(link: SubmissionsLink, subjects: Subjects, queueMs: number) {
    this.#link = link;
    this.#subjects = subjects;
    this.#queueMs = queueMs;
  }

  /** Jobs that nobody has begun with. */
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
      tries: 1,
      isAbandoned: false,
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

  /** Gives a job to whoever takes it, once more. */
  resubmit(job: RemoteJob): void {
    const submission = this.#submissions.get(job);
    if (submission === undefined) return;
    submission.tries++;
    void this.#publish(submission);
  }

  /** What the server has lost while it was away, it gets again; what it has, it knows by name. */
  republish(): void {
    for (const submission of this.#submissions.values()) {
      // In a stream that was made anew, its old place may be another job's.
      submission.sequence = undefined;
      if (submission.job.isWaiting) void this.#publish(submission);
    }
  }

  /** @param wasDone Its worker has said how it ended, and takes it out of the stream itself. */
  forget(job: RemoteJob, wasDone: boolean): void {
    const submission = this.#submissions.get(job);
    if (submission === undefined) return;
    this.#submissions.delete(job);
    clearTimeout(submission.timer);
    submission.isAbandoned = !wasDone;
    this.#clean(submission);
  }

  /** Resolves when nothing is left on the server of jobs that have ended. */
  async cleaned(): Promise<void> {
    await Promise.all(this.#cleaning);
  }

  async #publish(submission: Submission): Promise<void> {
    const { job, depth, tries } = submission;
    try {
      const known = this.#link.hasWorker();
      if (!(known instanceof Promise ? await known : known)) {
        job.fail('HOST_LOST', this.#link.wantOfWorkers, 'no');
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
      const msgID = `${job.token}.${tries}`;
      submission.sequence = await this.#store(connection, this.#subjects.jobs(depth), bytes, {
        msgID,
        isWanted: () => !job.isOver && this.#link.isConnected,
      });
      // It may have ended on its way.
      if (job.isOver) this.#clean(submission);
    } catch (error) {
      this.#onError(job, error);
    }
  }

  /**
   * Stores a job, and tries again for as long as nobody does so: a stream that went with its server's
   * memory is made anew by its workers, and servers of a cluster elect another leader, which takes
   * them up to ten seconds.
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
        if (!isUnheard(error) || !isWanted()) throw error;
        await delay(waitMs);
      }
    }
  }

  #onError(job: RemoteJob, cause: unknown): void {
    if (cause instanceof JetStreamApiError && cause.code === STREAM_IS_FULL) {
      const message =
        'The pool holds as many runs, or as large values, as it may; add workers, or send fewer.';
      job.fail('QUEUE_FULL', message, 'no', { cause });
    } else if (this.#link.connection === undefined || this.#link.isConnected) {
      const message = `The run could not be given to the server. ${messageOf(cause)}`;
      job.fail('HOST_LOST', message, 'no', { cause });
    }
    // Else the server is away for now: the job is published again when it is back.
  }

  /** Removes what is left of a job on the server. */
  #clean({ sequence, packed, isAbandoned }: Submission): void {
    const work = [
      isAbandoned && sequence !== undefined ? this.#takeOut(sequence) : undefined,
      packed?.stored === undefined
        ? undefined
        : this.#link.connection?.payloads.discard(packed.stored),
    ];
    for (const each of work) {
      if (each === undefined) continue;
      this.#cleaning.add(each);
      void each.then(() => this.#cleaning.delete(each));
    }
  }

  async #takeOut(sequence: number): Promise<void> {
    try {
      const { stream } = this.#subjects;
      await this.#link.connection?.manager.streams.deleteMessage(stream, sequence, false);
    } catch {
      // A worker has done so already, or the server is away: then workers are told to drop it.
    }
  }
}
