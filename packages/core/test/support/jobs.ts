import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';

import type { JobHandle, JobObserver, PoolEnd, PoolFailure } from '../../src/pools/worker-pool.ts';

/** A job whose code is its name. */
export function jobNamed(name: string): Job {
  return {
    code: name,
    filename: 'guest.js',
    language: 'auto',
    variables: 'safe:{}',
    tools: [],
    limits: DEFAULT_LIMITS,
    deterministic: null,
  };
}

/** An end with a value. */
export const DONE: PoolEnd = {
  type: 'outcome',
  outcome: { end: 'value', text: 'safe:1', cpuMs: 1, heapBytes: 1, condemned: false },
};

/** Keeps what an observer of a job hears, in order. */
export class Recorder implements JobObserver {
  readonly heard: unknown[][] = [];
  readonly ends: PoolEnd[] = [];
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when the job has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  onStart(...start: [hostId: string, heldMs?: number]): void {
    this.heard.push(['start', ...start]);
  }

  onLog(level: string, text: string): void {
    this.heard.push(['log', level, text]);
  }

  onCall(callId: number, tool: string, text: string): void {
    this.heard.push(['call', callId, tool, text]);
  }

  onEnd(end: PoolEnd): void {
    this.heard.push(['end']);
    this.ends.push(end);
    this.#ended.resolve();
  }

  /** How the job failed, where it has ended once and for the pool's own reasons. */
  get failure(): PoolFailure | undefined {
    const [end, ...more] = this.ends;
    return end?.type === 'failure' && more.length === 0 ? end : undefined;
  }
}

/** Keeps what a pool is told about a job that it runs. */
export class RecordingHandle implements JobHandle {
  readonly told: unknown[][] = [];

  reply(callId: number, ok: boolean, text: string): void {
    this.told.push(['reply', callId, ok, text]);
  }

  stop(): void {
    this.told.push(['stop']);
  }

  kill(why: string): void {
    this.told.push(['kill', why]);
  }
}
