import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { callback, having } from '../shared/check-options.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { CircuitBreakerOptions } from './circuit-breaker.ts';
import { timerMs } from './dispatch-request.ts';
import type { CacheOptions } from './idempotency.ts';
import type { TelemetryOptions } from './telemetry.ts';
import type { Approve } from './tool-approval.ts';
import type { ToolExecutor } from './untrusted.ts';

/** Options of a dispatcher. */
export interface DispatcherOptions {
  readonly registry: ToolRegistry;
  /** Runs untrusted tools. Without it they fail. */
  readonly executor?: ToolExecutor | undefined;
  /** Asks a person to approve calls that need it. Without it such calls are denied. */
  readonly approve?: Approve | undefined;
  /** The most attempts of one call; 3 by default. */
  readonly maxAttempts?: number | undefined;
  /** The most attempts at the same time; 8 by default. Nested calls do not count. */
  readonly concurrency?: number | undefined;
  /** Default time limit of one attempt of a trusted tool, in milliseconds; 30 000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Cache of values for calls with idempotency keys. */
  readonly cache?: Partial<CacheOptions> | undefined;
  /** Circuit breaker of each tool; `false` disables it. */
  readonly circuitBreaker?: Partial<CircuitBreakerOptions> | false | undefined;
  /** Contents of OpenTelemetry spans, if its API is installed; `false` disables spans. */
  readonly telemetry?: TelemetryOptions | false | undefined;
  /** Waits before the next attempt. Tests can replace it. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  /** A random number from 0 to 1 for the jitter of such waits; `Math.random` by default. */
  readonly random?: (() => number) | undefined;
}

const circuitBreakerSchema = z.strictObject({
  failures: z.int().min(1).default(10),
  coolDownMs: timerMs.default(30_000),
});

/** Schema of the options of `new Dispatcher`. */
export const dispatcherOptionsSchema = z.strictObject({
  registry: having<ToolRegistry>('find', 'a ToolRegistry'),
  executor: having<ToolExecutor>('run', 'an Executor').optional(),
  approve: callback<Approve>().optional(),
  maxAttempts: z.int().min(1).default(3),
  concurrency: z.int().min(1).default(8),
  timeoutMs: timerMs.default(30_000),
  cache: z
    .strictObject({
      maxEntries: z.int().min(1).default(1000),
      ttlMs: timerMs.default(60_000),
    })
    .prefault({}),
  circuitBreaker: z.union([z.literal(false), circuitBreakerSchema]).prefault({}),
  telemetry: z
    .union([
      z.literal(false),
      z.strictObject({
        recordArguments: z.boolean().optional(),
        recordResults: z.boolean().optional(),
      }),
    ])
    .default({}),
  sleep: callback<NonNullable<DispatcherOptions['sleep']>>().default(
    () => async (ms: number, signal: AbortSignal | undefined) => delay(ms, undefined, { signal }),
  ),
  random: callback<() => number>().default(() => Math.random),
});
