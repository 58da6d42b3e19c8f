import { isDeepStrictEqual } from 'node:util';

import { LRUCache } from 'lru-cache';

import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { ABORTED } from './abort.ts';
import type { ExecutionResult } from './execution-result.ts';
import { SharedExecution } from './shared-execution.ts';

export interface CacheOptions {
  /** The most values in the cache; 1000 by default. The least recently used one is dropped first. */
  readonly maxEntries: number;
  /** How long a value is cached, in milliseconds; 60 000 by default. */
  readonly ttlMs: number;
}

/** The tool and the arguments for which an idempotency key is valid. */
interface Binding {
  readonly tool: string;
  readonly args: unknown;
}

interface KeyedCall extends Binding {
  readonly signal: AbortSignal | undefined;
  readonly pause: PauseWallClock;
}

/** The result of a call with an idempotency key. */
export type KeyedResult =
  /** The key is in use for another tool or other arguments. */
  | { readonly type: 'conflict' }
  /** The arguments cannot be copied, so they cannot be compared with those of another call. */
  | { readonly type: 'unclonable' }
  /** The value of an earlier call. */
  | { readonly type: 'cached'; readonly value: unknown }
  /** `joined`: another call with the key had already started the execution. */
  | { readonly type: 'executed' | 'joined'; readonly executed: ExecutionResult | typeof ABORTED };

/** Running calls by idempotency key, and the cached values of earlier ones. Caches no failures. */
export class IdempotencyKeys {
  readonly #running = new Map<
    string,
    Binding & { readonly execution: SharedExecution<ExecutionResult> }
  >();
  readonly #cache: LRUCache<string, Binding & { readonly value: unknown }>;

  constructor({ maxEntries, ttlMs }: CacheOptions) {
    // Without `perf`, the library keeps the clock that it found when it was loaded, and a fake clock
    // has no effect on it.
    this.#cache = new LRUCache({ max: maxEntries, ttl: ttlMs, perf: performance });
  }

  /** Executes a call, unless a call with the same key is running or cached. Never rejects. */
  async once(
    key: string,
    { tool, args, signal, pause }: KeyedCall,
    execute: (signal: AbortSignal, pause: PauseWallClock) => Promise<ExecutionResult>,
  ): Promise<KeyedResult> {
    let binding: Binding;
    try {
      // A copy, because the caller may change its own object while the key is in use.
      binding = { tool, args: structuredClone(args) };
    } catch {
      return { type: 'unclonable' };
    }
    // Race: there must be no `await` from here to `join`. Otherwise another call could take the key
    // in between, and the tool would be called twice.
    const running = this.#running.get(key);
    const known = running?.execution.isAborted === false ? running : this.#cache.get(key);
    if (known !== undefined) {
      if (!isDeepStrictEqual({ tool: known.tool, args: known.args }, binding)) {
        return { type: 'conflict' };
      }
      if ('value' in known) return { type: 'cached', value: known.value };
      const joined = await known.execution.join(signal, pause, execute);
      return { type: 'joined', executed: joined };
    }
    const execution = new SharedExecution<ExecutionResult>();
    const entry = { ...binding, execution };
    this.#running.set(key, entry);
    const executed = await execution.join(signal, pause, async (...shared) => {
      const own = await execute(...shared);
      // If all callers have aborted, another call may have taken the key meanwhile.
      if (this.#running.get(key) === entry) {
        this.#running.delete(key);
        if (own.result.ok) this.#cache.set(key, { ...binding, value: own.result.value });
      }
      return own;
    });
    return { type: 'executed', executed };
  }
}
