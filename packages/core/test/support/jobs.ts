import type { Job } from '@glovebox/protocol/job';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';

import type { JobHandle, JobObserver, PoolEnd, PoolFailure } from '../../src/pools/worker-pool.ts';

/** A job with its name as its code. */
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

/** The end of a run that returned a value. */
export const DONE: PoolEnd = {
  type: 'outcome',
  outcome: { end: 'value', text: 'safe:1', cpuMs: 1, heapBytes: 1, condemned: false },
};

/** An observer that records its calls, in order. */
export class Recorder implements JobObserver {
  readonly events: unknown[][] = [];
  readonly ends: PoolEnd[] = [];
  readonly #ended = Promise.withResolvers<void>();

  /** Resolves when the job has ended. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  onStart(...start: [hostId: string, heldMs?: number]): void {
    this.events.push(['start', ...start]);
  }

  onLog(level: string, text: string): void {
    this.events.push(['log', level, text]);
  }

  onCall(callId: number, tool: string, text: string): void {
    this.events.push(['call', callId, tool, text]);
  }

  onEnd(end: PoolEnd): void {
    this.events.push(['end']);
    this.ends.push(end);
    this.#ended.resolve();
  }

  /** The failure of the job, if it has ended exactly once, with a failure. */
  get failure(): PoolFailure | undefined {
    const [end, ...more] = this.ends;
    return end?.type === 'failure' && more.length === 0 ? end : undefined;
  }
}

/** A handle that records its calls. */
export class RecordingHandle implements JobHandle {
  readonly calls: unknown[][] = [];

  reply(callId: number, ok: boolean, text: string): void {
    this.calls.push(['reply', callId, ok, text]);
  }

  stop(): void {
    this.calls.push(['stop']);
  }

  kill(why: string): void {
    this.calls.push(['kill', why]);
  }
}
