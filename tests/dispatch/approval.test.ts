import { Executor, TransientError } from '@glovebox/core';
import type { AnyTool, ApprovalDecision, ApprovalRequest, Approve } from '@glovebox/core';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';

import { useFakeClock } from '../../packages/core/test/support/fake-clock.ts';
import { counted, dispatcherOf, errorIn, valueIn } from '../support/dispatch.ts';
import { flushMicrotasks } from '../support/event-loop.ts';

const call = { tool: 'work', args: { id: 1 } };
const yes: Approve = () => ({ decision: 'approve' });

/** An `approve` callback that keeps what it is asked. */
function asking(answer: Approve): { approve: Approve; requests: ApprovalRequest[] } {
  const requests: ApprovalRequest[] = [];
  const approve: Approve = (request, context) => {
    requests.push(request);
    return answer(request, context);
  };
  return { approve, requests };
}

describe('who is asked', () => {
  interface Case {
    readonly what: string;
    readonly needsApproval: unknown;
    readonly asked: number;
  }
  const cases: readonly Case[] = [
    { what: 'nothing said', needsApproval: undefined, asked: 0 },
    { what: 'a flag that says no', needsApproval: false, asked: 0 },
    { what: 'a flag that says yes', needsApproval: true, asked: 1 },
    { what: 'a function that says no', needsApproval: () => false, asked: 0 },
    { what: 'a function that says yes', needsApproval: () => true, asked: 1 },
    { what: 'a promise of no', needsApproval: async () => false, asked: 0 },
    { what: 'a promise of yes', needsApproval: async () => true, asked: 1 },
    { what: 'no for other arguments', needsApproval: ({ id }: { id: number }) => id > 5, asked: 0 },
    { what: 'an answer that is neither', needsApproval: () => undefined, asked: 1 },
  ];
  test.each(cases)('with $what: $asked', async ({ needsApproval, asked }) => {
    const { approve, requests } = asking(yes);
    const work = counted(() => 3, { needsApproval: needsApproval as never });
    expect(valueIn(await dispatcherOf({ tools: [work], approve }).dispatch(call))).toBe(3);
    expect(requests).toHaveLength(asked);
  });

  test('hears of tool, description, and arguments as the tool would get them', async () => {
    const { approve, requests } = asking(yes);
    const work = counted(() => 3, {
      description: 'Works.',
      inputSchema: z.object({ id: z.number(), size: z.number().default(10) }),
      needsApproval: true,
    });
    const dispatcher = dispatcherOf({ tools: [work], approve });
    await dispatcher.dispatch(call);
    await dispatcher.dispatch(call);
    const request = {
      tool: 'work',
      description: 'Works.',
      args: { id: 1, size: 10 },
      within: [],
    };
    expect(requests).toEqual([
      { ...request, dispatchId: 1 },
      { ...request, dispatchId: 2 },
    ]);
  });
});

describe('who asks for one call alone', () => {
  test('is asked in place of whom the dispatcher asks, about calls within it too', async () => {
    await using executor = new Executor({ pool: 'thread', hosts: 1 });
    const work = counted(() => 3, { needsApproval: true });
    const outer: AnyTool = { name: 'outer', source: 'return work()', uses: ['work'] };
    const all = asking(yes);
    const one = asking(() => ({ decision: 'deny', reason: 'not here' }));
    const dispatcher = dispatcherOf({ tools: [work, outer], executor, approve: all.approve });
    const denied = await dispatcher.dispatch({ tool: 'outer', approve: one.approve });
    expect(errorIn(denied).message).toBe('work was denied: not here');
    expect([one.requests.length, all.requests.length]).toEqual([1, 0]);
    expect(valueIn(await dispatcher.dispatch({ tool: 'outer' }))).toBe(3);
    expect(all.requests).toMatchObject([{ tool: 'work', within: ['outer'] }]);
  });
});

describe('an answer', () => {
  interface Case {
    readonly what: string;
    readonly answer: () => unknown;
    readonly message: string;
  }
  const cases: readonly Case[] = [
    {
      what: 'deny, with a reason',
      answer: () => ({ decision: 'deny', reason: 'too dear' }),
      message: 'work was denied: too dear',
    },
    { what: 'deny', answer: () => ({ decision: 'deny' }), message: 'work was denied.' },
    {
      what: 'an error',
      answer: () => {
        throw new Error('no line');
      },
      message: 'work needs approval, and asking for it failed: no line',
    },
    {
      what: 'a rejection',
      answer: () => Promise.reject(new Error('no line')),
      message: 'work needs approval, and asking for it failed: no line',
    },
    { what: 'nothing', answer: () => undefined, message: 'the answer was none of' },
    { what: 'true', answer: () => true, message: 'the answer was none of' },
    {
      what: 'another word',
      answer: () => ({ decision: 'yes' }),
      message: 'the answer was none of',
    },
    {
      what: 'approve with other arguments',
      answer: () => ({ decision: 'approve', args: { id: 2 } }),
      message: 'the answer was none of',
    },
  ];
  test.each(cases)('that is $what denies the call', async ({ answer, message }) => {
    const work = counted(() => 3, { needsApproval: true });
    const approve: Approve = () => answer() as ApprovalDecision;
    const error = errorIn(await dispatcherOf({ tools: [work], approve }).dispatch(call));
    expect(error).toMatchObject({ kind: 'denied', code: -32_603, attempts: 0, retryable: false });
    expect(error.message).toContain(message);
    expect(work.calls).toEqual([]);
  });

  test('cannot be had where nobody can be asked, and the error says how', async () => {
    const work = counted(() => 3, { needsApproval: true });
    const error = errorIn(await dispatcherOf({ tools: [work] }).dispatch(call));
    expect(error.kind).toBe('denied');
    expect(error.message).toContain('give the Dispatcher an `approve` callback');
  });

  test('is not asked for where deciding about it fails: the call is denied', async () => {
    const { approve, requests } = asking(yes);
    const work = counted(() => 3, {
      needsApproval: () => {
        throw new Error('no rules');
      },
    });
    const error = errorIn(await dispatcherOf({ tools: [work], approve }).dispatch(call));
    expect(error).toMatchObject({
      kind: 'denied',
      message: 'work needs approval, since its needsApproval failed: no rules',
    });
    expect([work.calls, requests]).toEqual([[], []]);
  });

  test('may be other arguments, which are checked like the first', async () => {
    const inputSchema = z.object({ id: z.number(), size: z.number().default(10) });
    const work = counted(({ id, size }) => id * size, { inputSchema, needsApproval: true });
    const edits: unknown[] = [{ id: 5 }, { id: 'five' }];
    const approve: Approve = () => ({ decision: 'edit', args: edits.shift() });
    const dispatcher = dispatcherOf({ tools: [work], approve });
    expect(valueIn(await dispatcher.dispatch(call))).toBe(50);
    const error = errorIn(await dispatcher.dispatch(call));
    expect(error).toMatchObject({ kind: 'schema', faults: [{ path: '/id' }] });
    expect(error.message).toContain('as edited');
    expect(work.calls).toEqual([{ id: 5, size: 10 }]);
  });
});

describe('one answer', () => {
  test('holds for all attempts, and so does deciding whether to ask', async () => {
    const { approve, requests } = asking(() => ({ decision: 'edit', args: { id: 5 } }));
    let decisions = 0;
    const work = counted(() => Promise.reject(new TransientError('busy')), {
      needsApproval: () => ++decisions > 0,
    });
    const result = await dispatcherOf({ tools: [work], approve }).dispatch(call);
    expect(errorIn(result)).toMatchObject({ kind: 'transient', attempts: 3 });
    expect(work.calls).toEqual([{ id: 5 }, { id: 5 }, { id: 5 }]);
    expect([requests.length, decisions]).toEqual([1, 1]);
  });

  test('holds for all calls with one key, and stops the clocks of all', async () => {
    const gate = Promise.withResolvers<ApprovalDecision>();
    const { approve, requests } = asking(() => gate.promise);
    const work = counted(() => 3, { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work], approve });
    const stopped: string[] = [];
    const dispatch = (name: string) =>
      dispatcher.dispatch({
        ...call,
        idempotencyKey: 'step-1',
        parent: {
          signal: new AbortController().signal,
          tool: name,
          callId: 1,
          pauseWallClock: async (wait) => {
            stopped.push(`${name} stops`);
            try {
              return await wait();
            } finally {
              stopped.push(`${name} goes on`);
            }
          },
        },
      });
    const first = dispatch('first');
    await flushMicrotasks();
    const second = dispatch('second');
    await flushMicrotasks();
    expect(stopped).toEqual(['first stops', 'second stops']);
    gate.resolve({ decision: 'approve' });
    expect([valueIn(await first), valueIn(await second)]).toEqual([3, 3]);
    expect(stopped.slice(2).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'first goes on',
      'second goes on',
    ]);
    expect([requests.length, work.calls.length]).toEqual([1, 1]);
  });

  test('that is waited for keeps nobody out', async () => {
    const gate = Promise.withResolvers<ApprovalDecision>();
    const gated = counted(() => 'gated', { name: 'gated', needsApproval: true });
    const dispatcher = dispatcherOf({
      tools: [gated, counted(() => 'free')],
      approve: () => gate.promise,
      concurrency: 1,
    });
    const waiting = dispatcher.dispatch({ tool: 'gated' });
    expect(valueIn(await dispatcher.dispatch(call))).toBe('free');
    gate.resolve({ decision: 'approve' });
    expect(valueIn(await waiting)).toBe('gated');
  });

  test('is not asked for once the circuit is open', async () => {
    const { approve, requests } = asking(yes);
    const work = counted(() => Promise.reject(new Error('broken')), { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work], approve, circuitBreaker: { failures: 1 } });
    await dispatcher.dispatch(call);
    expect(errorIn(await dispatcher.dispatch(call)).kind).toBe('circuit_open');
    expect(requests).toHaveLength(1);
  });

  test('is not asked for twice when there is budget for one', async () => {
    const gate = Promise.withResolvers<ApprovalDecision>();
    const { approve, requests } = asking(() => gate.promise);
    const work = counted(() => 3, { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work], approve });
    const budget = { remaining: 1 };
    const first = dispatcher.dispatch({ ...call, budget });
    expect(errorIn(await dispatcher.dispatch({ ...call, budget })).kind).toBe('budget_exceeded');
    gate.resolve({ decision: 'approve' });
    expect(valueIn(await first)).toBe(3);
    expect(requests).toHaveLength(1);
  });
});

describe('an answer that takes long', () => {
  useFakeClock();

  test('uses no time of the call: no attempt has begun', async () => {
    const gate = Promise.withResolvers<ApprovalDecision>();
    const work = counted(() => 3, { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work], approve: () => gate.promise });
    const result = dispatcher.dispatch({ ...call, timeoutMs: 20 });
    await vi.advanceTimersByTimeAsync(60_000);
    gate.resolve({ decision: 'approve' });
    expect(valueIn(await result)).toBe(3);
  });
});

describe('a caller who gives up', () => {
  test.each([
    ['the answer', { needsApproval: true }],
    ['deciding whether to ask', { needsApproval: () => new Promise<boolean>(() => undefined) }],
  ])('while %s is waited for has its result at once', async (_what, definition) => {
    const controller = new AbortController();
    const heard: unknown[] = [];
    const approve: Approve = (_request, { signal }) => {
      signal.addEventListener('abort', () => heard.push(signal.reason));
      return new Promise(() => undefined);
    };
    const work = counted(() => 3, definition);
    const dispatcher = dispatcherOf({ tools: [work], approve });
    const result = dispatcher.dispatch({ ...call, signal: controller.signal });
    await flushMicrotasks();
    controller.abort('enough');
    expect(errorIn(await result)).toMatchObject({ kind: 'aborted', attempts: 0 });
    expect(heard).toEqual(definition.needsApproval === true ? ['enough'] : []);
    expect(work.calls).toEqual([]);
  });

  test('is not followed by the call when the answer comes late', async () => {
    const controller = new AbortController();
    const gate = Promise.withResolvers<ApprovalDecision>();
    const work = counted(() => 3, { needsApproval: true });
    const dispatcher = dispatcherOf({ tools: [work], approve: () => gate.promise });
    const result = dispatcher.dispatch({ ...call, signal: controller.signal });
    await flushMicrotasks();
    controller.abort();
    await result;
    gate.resolve({ decision: 'approve' });
    await flushMicrotasks();
    expect(work.calls).toEqual([]);
  });
});
