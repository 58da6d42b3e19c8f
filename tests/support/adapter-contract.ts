import { Dispatcher, ToolRegistry } from '@glovebox/core';
import type { Executor } from '@glovebox/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { codeThatCalls, RICH, RICH_TEXT, setUpTools } from './adapters.ts';
import type { Setup } from './adapters.ts';

/** What a framework makes of one call: what a model reads, what programs get, or both. */
export type Answer = (
  | { readonly text: string; readonly values?: Values }
  | { readonly text?: string; readonly values: Values }
) & {
  /** Whether it is a failure, where the framework makes a difference. */
  readonly failed?: boolean;
  /** The error, where programs get it. */
  readonly error?: unknown;
};

/** The one value of an answer, in a list since it may be `undefined`. */
type Values = readonly [unknown];

/** How a driver makes one call. */
export interface CallOptions {
  /** Finds the value of code in what programs get; what they get is the value where it is left out. */
  readonly valueIn?: (result: unknown) => unknown;
  readonly signal?: AbortSignal | undefined;
}

/** What a model reads when something failed. */
type ErrorTexts<Cause extends string> = Readonly<Record<Cause, RegExp>>;

/** A model of the framework uses the tools of a registry. */
interface ToolsDriver {
  /** What a model is told of the tool that is called `orders.total` in the registry. */
  readonly describe: (dispatcher: Dispatcher) => Promise<{
    readonly name: string | undefined;
    readonly description: string | undefined;
    readonly schema: unknown;
  }>;
  readonly call: (dispatcher: Dispatcher, tool: string, args: object) => Promise<Answer>;
  /** A tool throws; its arguments do not fit. */
  readonly errors: ErrorTexts<'thrown' | 'badArguments'>;
  /**
   * A model calls a tool that needs approval, and a person is asked the way of the framework.
   *
   * @param onAsked Called when the person has the question.
   * @returns What the model reads.
   */
  readonly approve: (
    dispatcher: Dispatcher,
    tool: string,
    args: object,
    isApproved: boolean,
    onAsked: () => void,
  ) => Promise<string>;
  /** What a model reads when the person says no. */
  readonly refusal: RegExp;
  /** Whether the framework asks, where a function decides on it by the arguments. */
  readonly asks?: (dispatcher: Dispatcher, tool: string, args: object) => Promise<boolean>;
}

/** One of the ways in which the framework has code run. */
interface CodeDriver {
  readonly title: string;
  /** The name that a tool has in code. */
  readonly nameOf: (tool: string) => string;
  readonly run: (setup: Setup, code: string, options: CodeOptions) => Promise<Answer>;
  /** It loops; a tool throws in its second line. */
  readonly errors: ErrorTexts<'endless' | 'thrown'>;
  /** What becomes of the call when its signal is aborted, where it takes one. */
  readonly onAbort?: 'rejects' | 'resolves';
}

export interface CodeOptions {
  readonly wallMs: number;
  readonly signal?: AbortSignal;
}

interface AdapterDriver {
  readonly tools?: ToolsDriver;
  readonly code: readonly CodeDriver[];
}

/** What every adapter does, whatever the framework; what only one does is in its own tests. */
export function describeAdapter(executor: () => Executor, { tools, code }: AdapterDriver): void {
  if (tools !== undefined) describeTools(executor, tools);
  describe.each(code)('$title', (driver) => {
    testCode(executor, driver);
  });
}

function describeTools(executor: () => Executor, driver: ToolsDriver): void {
  describe('tools of a registry', () => {
    test('have name, description and schema', async () => {
      const { dispatcher } = setUpTools(executor());
      expect(await driver.describe(dispatcher)).toMatchObject({
        name: 'orders_total',
        description: 'The total of a customer.',
        schema: { properties: { customer: { type: 'number' } }, required: ['customer'] },
      });
    });

    test('are called through the dispatcher', async () => {
      const { dispatcher, calls } = setUpTools(executor());
      await driver.call(dispatcher, 'orders_total', { customer: 4 });
      expect(calls).toEqual([{ tool: 'orders.total', args: { customer: 4 } }]);
    });

    test.each([
      ['orders_total', { customer: 4 }, '40', 40],
      ['rich', {}, RICH_TEXT, RICH],
      ['at', { time: '1970-01-01T00:00:01Z' }, '1000', 1000],
    ])('%s gives models its text, and programs its value', async (name, args, text, value) => {
      const { dispatcher } = setUpTools(executor());
      const right = valueAs(text, value);
      expect(partsOf(await driver.call(dispatcher, name, args), right)).toStrictEqual(right);
    });

    test('an error has its name and code', async () => {
      const { dispatcher } = setUpTools(executor());
      const answer = await driver.call(dispatcher, 'orders_pay', {});
      const right = failureAs(driver.errors.thrown, { name: 'RangeError', code: 'E_RANGE' });
      expect(partsOf(answer, right)).toStrictEqual(right);
    });

    test('arguments that do not fit are an error that says so, and the tool is not called', async () => {
      const { dispatcher, calls } = setUpTools(executor());
      const answer = await driver.call(dispatcher, 'orders_total', { customer: 'x' });
      const right = failureAs(driver.errors.badArguments, {
        name: 'ToolCallError',
        code: 'schema',
      });
      expect(partsOf(answer, right)).toStrictEqual(right);
      expect(calls).toEqual([]);
    });

    test.each([
      ['agrees', true, /^cancelled$/, [{ tool: 'orders.cancel', args: { customer: 1 } }]],
      ['refuses', false, driver.refusal, []],
    ])('a person is asked first, and %s', async (_what, isApproved, text, called) => {
      const { dispatcher, calls } = setUpTools(executor());
      let callsWhenAsked: unknown;
      const args = { customer: 1 };
      const answer = await driver.approve(dispatcher, 'orders_cancel', args, isApproved, () => {
        callsWhenAsked = [...calls];
      });
      expect(callsWhenAsked).toEqual([]);
      expect(answer).toMatch(text);
      expect(calls).toEqual(called);
    });

    const { asks } = driver;
    if (asks === undefined) return;
    test.each([
      [5, true],
      [50, false],
    ])('a function decides for %s whether a person is asked', async (amount, isAsked) => {
      const registry = new ToolRegistry();
      registry.register({
        name: 'pay',
        inputSchema: z.object({ amount: z.number() }),
        needsApproval: ({ amount: given }) => given < 10,
        execute: () => 'paid',
      });
      expect(await asks(new Dispatcher({ registry }), 'pay', { amount })).toBe(isAsked);
    });
  });
}

function testCode(executor: () => Executor, driver: CodeDriver): void {
  const { onAbort } = driver;
  const CODE = codeThatCalls(driver.nameOf);
  const wallMs = 10_000;
  const setUp = (limitMs = wallMs): Setup => setUpTools(executor(), {}, { wallMs: limitMs });

  test('three tools run in parallel', async () => {
    const answer = await driver.run(setUp(), CODE.parallel, { wallMs });
    const right = valueAs('Result:\n[ 3, 3, 3 ]', [3, 3, 3]);
    expect(partsOf(answer, right)).toStrictEqual(right);
  });

  test('values pass exactly, in both directions; a model reads them', async () => {
    const setup = setUp();
    const answer = await driver.run(setup, CODE.rich, { wallMs });
    const right = valueAs(`Result:\n${RICH_TEXT}`, RICH);
    expect(partsOf(answer, right)).toStrictEqual(right);
    expect(setup.calls.map(({ args }) => args)).toStrictEqual([
      { when: new Date(5), map: new Map([[1, 2]]) },
      RICH,
    ]);
  });

  test('an endless loop ends at its limit, and what follows is not held up', async () => {
    const limitMs = 300;
    const answer = await driver.run(setUp(limitMs), CODE.endless, { wallMs: limitMs });
    const right = failureAs(driver.errors.endless, { name: 'WALL_LIMIT', code: 'WALL_LIMIT' });
    expect(partsOf(answer, right)).toStrictEqual(right);
    const next = await driver.run(setUp(), 'return 1', { wallMs });
    const rightNext = valueAs('Result:\n1', 1);
    expect(partsOf(next, rightNext)).toStrictEqual(rightNext);
  });

  test('an error of a tool has its name, its code and its place', async () => {
    const answer = await driver.run(setUp(), CODE.fails, { wallMs });
    const right = failureAs(driver.errors.thrown, { name: 'RangeError', code: 'E_RANGE' });
    expect(partsOf(answer, right)).toStrictEqual(right);
  });

  if (onAbort === undefined) return;
  test('an abort stops the guest and its tools', async () => {
    const setup = setUp();
    const abort = new AbortController();
    const call = driver.run(setup, CODE.waits, { wallMs, signal: abort.signal });
    const settled = Promise.allSettled([call]);
    await setup.waiting;
    abort.abort();
    expect(await setup.aborted).toBeInstanceOf(DOMException);
    const [end] = await settled;
    expect(end.status).toBe(onAbort === 'rejects' ? 'rejected' : 'fulfilled');
    expect(end.status === 'rejected' ? String(end.reason) : 'aborted').toMatch(/abort/i);
  });
}

/** An answer with all parts: one that the framework does not have is as it should be. */
function partsOf(answer: Answer, all: object): object {
  return { ...all, ...answer };
}

/** All parts of an answer that is a value. */
function valueAs(text: string, value: unknown): object {
  return { text, values: [value], failed: false };
}

/** All parts of an answer that is a failure. */
function failureAs(text: RegExp, error: object): object {
  return {
    text: expect.stringMatching(text),
    values: undefined,
    failed: true,
    error: expect.objectContaining(error),
  };
}
