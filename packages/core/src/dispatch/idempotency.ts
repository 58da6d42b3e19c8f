import { isDeepStrictEqual } from 'node:util';

import { LRUCache } from 'lru-cache';

import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { ABORTED } from './abort.ts';
import type { Ending } from './ending.ts';
import { SharedExecution } from './shared-execution.ts';

export interface CacheOptions {
  /** Values that are remembered; 1000 by default. The one used least of late is forgotten first. */
  readonly maxEntries: number;
  /** How long a value is remembered, in milliseconds; 60 000 by default. */
  readonly ttlMs: number;
}

/** What a key belongs to: an idempotency key is for one tool with the same arguments. */
interface Binding {
  readonly tool: string;
  readonly args: unknown;
}

interface KeyedCall extends Binding {
  readonly signal: AbortSignal | undefined;
  readonly pause: PauseWallClock;
}

/** What came of a call with a key. */
export type KeyedResult =
  /** The key belongs to something else. */
  | { readonly type: 'conflict' }
  /** The arguments cannot be compared with those of another call. */
  | { readonly type: 'unclonable' }
  | { readonly type: 'remembered'; readonly value: unknown }
  | { readonly type: 'executed' | 'joined'; readonly ending: Ending | typeof ABORTED };

/** Which keys are in use, and what came of them. Failures are not remembered. */
export class IdempotencyKeys {
  readonly #running = new Map<string, Binding & { readonly execution: SharedExecution<Ending> }>();
  readonly #remembered: LRUCache<string, Binding & { readonly value: unknown }>;

  constructor({ maxEntries, ttlMs }: CacheOptions) {
    this.#remembered = new LRUCache({ max: maxEntries, ttl: ttlMs });
  }

  /** Executes a call unless one with its key has been or is being executed. Never rejects. */
  async once(
    key: string,
    { tool, args, signal, pause }: KeyedCall,
    execute: (signal: AbortSignal, pause: PauseWallClock) => Promise<Ending>,
  ): Promise<KeyedResult> {
    let binding: Binding;
    try {
      // A copy: the caller may change its own object while the key is in use.
      binding = { tool, args: structuredClone(args) };
    } catch {
      return { type: 'unclonable' };
    }
    // From here to `join` nothing is awaited: in between, another call could take the key, and the
    // tool would be called twice.
    const running = this.#running.get(key);
    const known = running?.execution.isAborted === false ? running : this.#remembered.get(key);
    if (known !== undefined) {
      if (!isDeepStrictEqual({ tool: known.tool, args: known.args }, binding)) {
        return { type: 'conflict' };
      }
      if ('value' in known) return { type: 'remembered', value: known.value };
      const ending = await known.execution.join(signal, pause, execute);
      return { type: 'joined', ending };
    }
    const execution = new SharedExecution<Ending>();
    const entry = { ...binding, execution };
    this.#running.set(key, entry);
    const ending = await execution.join(signal, pause, async (...shared) => {
      const result = await execute(...shared);
      // After everybody gave up, another call may have taken the key.
      if (this.#running.get(key) === entry) {
        this.#running.delete(key);
        if (result.end.ok) this.#remembered.set(key, { ...binding, value: result.end.value });
      }
      return result;
    });
    return { type: 'executed', ending };
  }
}
