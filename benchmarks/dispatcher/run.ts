/**
 * Measures what a dispatch costs over calling the function itself, one call at a time.
 *
 *     pnpm bench:dispatcher [--calls N] [--rounds N]
 */
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import os from 'node:os';
import { parseArgs } from 'node:util';

import { DISPATCH_CHANNELS, Dispatcher, ToolRegistry } from '@glovebox/core';
import type { DispatchRequest } from '@glovebox/core';
import { z } from 'zod';

import { round, summarize } from '../executor/statistics.ts';

/** What a dispatch may cost over calling the function, in microseconds. */
const LIMIT_US = 20;

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '9' },
  },
});
const calls = Number(flags.calls);
const rounds = Number(flags.rounds);

const noop = async (): Promise<void> => undefined;
const registry = new ToolRegistry();
registry.register({ name: 'noop', execute: noop });
registry.register({
  name: 'checked',
  inputSchema: z.object({ id: z.number(), name: z.string() }),
  outputSchema: z.object({ ok: z.boolean() }),
  execute: async () => ({ ok: true }),
});
registry.register({
  name: 'checked_json',
  inputSchema: {
    type: 'object',
    properties: { id: { type: 'number' }, name: { type: 'string' } },
    required: ['id', 'name'],
  },
  execute: noop,
});

const dispatcher = new Dispatcher({ registry });
const args = { id: 7, name: 'seven' };
const { signal } = new AbortController();
const budget = { remaining: Number.MAX_SAFE_INTEGER };
let key = 0;

function dispatching(makeRequest: () => DispatchRequest): () => Promise<unknown> {
  return async () => {
    const result = await dispatcher.dispatch(makeRequest());
    if (!result.ok) throw new Error(result.error.message);
  };
}

interface Scenario {
  readonly title: string;
  readonly call: () => Promise<unknown>;
}

const SCENARIOS: readonly Scenario[] = [
  { title: 'a no-op', call: dispatching(() => ({ tool: 'noop' })) },
  {
    title: 'with signal and budget',
    call: dispatching(() => ({ tool: 'noop', args, signal, budget })),
  },
  {
    title: 'checked by zod, in and out',
    call: dispatching(() => ({ tool: 'checked', args })),
  },
  {
    title: 'checked by JSON Schema',
    call: dispatching(() => ({ tool: 'checked_json', args })),
  },
  {
    title: 'with a new idempotency key',
    call: dispatching(() => ({ tool: 'noop', args, idempotencyKey: String(key++) })),
  },
  {
    title: 'with a known idempotency key',
    call: dispatching(() => ({ tool: 'noop', args, idempotencyKey: 'known' })),
  },
];

/** Microseconds of one call. */
async function measure(call: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < calls; n++) await call();
  return ((performance.now() - started) * 1000) / calls;
}

/** What calls cost over calling the function, in microseconds; both in turns. */
async function measureOver(call: () => Promise<unknown>): Promise<readonly number[]> {
  await measure(call);
  await measure(noop);
  const over: number[] = [];
  for (let n = 0; n < rounds; n++) over.push((await measure(call)) - (await measure(noop)));
  return over;
}

function print(title: string, over: readonly number[]): number {
  const { median, low, high } = summarize(over);
  const figures = `${round(median)} µs (${round(low)} to ${round(high)})`;
  process.stdout.write(`${title.padEnd(36)} ${figures}\n`);
  return median;
}

const { version } = createRequire(import.meta.url)('@glovebox/core/package.json') as {
  version: string;
};
const [cpu] = os.cpus();
process.stdout.write(
  `@glovebox/core ${version}, Node ${process.version}, ${cpu?.model ?? 'unknown CPU'}\n` +
    `Over calling the function; n = ${calls} calls a round, ${rounds} rounds: median (spread)\n\n`,
);
const [plain = { title: '', call: noop }, ...others] = SCENARIOS;
const median = print(plain.title, await measureOver(plain.call));
for (const { title, call } of others) print(title, await measureOver(call));
for (const channel of Object.values(DISPATCH_CHANNELS)) subscribe(channel, () => undefined);
print('a no-op, with listeners to events', await measureOver(plain.call));
process.stdout.write(`\nAllowed for a no-op: ${LIMIT_US} µs.\n`);
if (median >= LIMIT_US) process.exitCode = 1;
