import { createCodeTool, Dispatcher, Executor, ToolRegistry } from '@glovebox/core';
import type { CodeTool, DispatcherOptions } from '@glovebox/core';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

import { Gathering } from './gathering.ts';

/** An executor for all tests of a file. */
export function useExecutor(): () => Executor {
  let executor: Executor;
  beforeAll(async () => {
    executor = new Executor({ hosts: 1 });
    await executor.ready();
  });
  afterAll(() => executor.close());
  return () => executor;
}

/** Calls of the tools that are counted, in order. */
export interface Setup {
  readonly dispatcher: Dispatcher;
  readonly codeTool: CodeTool;
  /** What the tools were called with. */
  readonly calls: { readonly tool: string; readonly args: unknown }[];
  /** Resolves with the reason when the signal of `wait.forever` is aborted. */
  readonly aborted: Promise<unknown>;
  /** Resolves when `wait.forever` is called. */
  readonly waiting: Promise<void>;
}

const CROWD = 3;

/** The tools that every adapter is tested with. */
export function setUpTools(
  executor: Executor,
  options: Partial<DispatcherOptions> = {},
  limits: { readonly wallMs?: number } = {},
): Setup {
  const registry = new ToolRegistry();
  const calls: { tool: string; args: unknown }[] = [];
  const aborted = Promise.withResolvers<unknown>();
  const waiting = Promise.withResolvers<void>();
  const count = (tool: string, args: unknown): void => void calls.push({ tool, args });
  registry.register({
    name: 'orders.total',
    description: 'The total of a customer.',
    inputSchema: z.object({ customer: z.number().describe('Number of the customer.') }),
    outputSchema: z.number(),
    execute: ({ customer }) => {
      count('orders.total', { customer });
      return customer * 10;
    },
  });
  const crowd = new Gathering(CROWD);
  void crowd.full.then(() => crowd.open());
  registry.register({
    name: 'crowd',
    description: 'How many calls of it were under way at once. Waits for three.',
    execute: async () => {
      await crowd.call();
      return crowd.most;
    },
  });
  registry.register({
    name: 'orders.pay',
    description: 'Fails always.',
    inputSchema: z.object({}),
    execute: () => {
      throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' });
    },
  });
  registry.register({
    name: 'orders.cancel',
    description: 'Cancels all orders; a person must agree.',
    inputSchema: z.object({ customer: z.number() }),
    needsApproval: true,
    execute: ({ customer }) => {
      count('orders.cancel', { customer });
      return 'cancelled';
    },
  });
  registry.register({
    name: 'at',
    description: 'A time in milliseconds.',
    inputSchema: z.object({ time: z.coerce.date() }),
    execute: ({ time }) => time.getTime(),
  });
  registry.register({
    name: 'rich',
    description: 'A value that JSON does not have, out and back.',
    execute: (args: unknown) => {
      count('rich', args);
      return RICH;
    },
  });
  registry.register({
    name: 'wait.forever',
    execute: (_args: unknown, { signal }) => {
      signal.addEventListener('abort', () => aborted.resolve(signal.reason));
      waiting.resolve();
      return new Promise(() => undefined);
    },
  });
  const dispatcher = new Dispatcher({ registry, executor, ...options });
  const codeTool = createCodeTool({ registry, executor, dispatcher, limits });
  return { dispatcher, codeTool, calls, aborted: aborted.promise, waiting: waiting.promise };
}

/** What JSON cannot carry. */
export const RICH = {
  when: new Date(1234),
  map: new Map([['a', 1n]]),
  bytes: new Uint8Array([1, 2]),
};

/** How a model reads it. */
export const RICH_TEXT =
  "{\n  when: 1970-01-01T00:00:01.234Z,\n  map: Map(1) { 'a' => 1n },\n  bytes: Uint8Array(2) [ 1, 2 ]\n}";

/** Code that models send, with the names that tools have in it. */
export function codeThatCalls(nameOf: (tool: string) => string) {
  const [crowd, rich, pay, waits] = ['crowd', 'rich', 'orders.pay', 'wait.forever'].map(nameOf);
  return {
    parallel: `return Promise.all([1, 2, 3].map(() => ${crowd}()))`,
    rich: `return ${rich}(await ${rich}({ when: new Date(5), map: new Map([[1, 2]]) }))`,
    fails: `const a = 1;\nawait ${pay}({})`,
    endless: 'for (;;);',
    waits: `await ${waits}()`,
  } as const;
}

/** The same where tools have the names of the registry. */
export const CODE = codeThatCalls((tool) => tool);

/** A tool that never answers. */
export function forever(): Promise<unknown> {
  return new Promise(() => undefined);
}

/** All that a stream gives. */
export async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of stream) all.push(item);
  return all;
}
