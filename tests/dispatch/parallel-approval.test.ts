import { setTimeout as delay } from 'node:timers/promises';

import { createGuestTools } from '@glovebox/core';
import type { AnyTool, ApprovalDecision, ApprovalRequest, Outcome } from '@glovebox/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { ampleWallMs, withGrace } from '../support/calibration.ts';
import { counted, dispatcherOf } from '../support/dispatch.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';
import { until } from '../support/processes.ts';

interface Question extends ApprovalRequest {
  readonly answer: (decision: ApprovalDecision) => void;
}

const approved: ApprovalDecision = { decision: 'approve' };

// Branches that wait for a person at the same time are where others go wrong: they ask once for
// two, answer the wrong one, run an approved tool twice, or run again what ran before the wait.
describeEachPool('branches of a guest that wait for a person', (executor) => {
  /** Tools `free`, `gated` and `other` that take a text, and what a person is asked. */
  function setUp(more: readonly AnyTool[] = []) {
    const questions: Question[] = [];
    const inputSchema = z.string();
    const free = counted((text: string) => `free ${text}`, { name: 'free', inputSchema });
    const gated = counted((text: string) => `gated ${text}`, {
      name: 'gated',
      inputSchema,
      needsApproval: true,
    });
    const other = counted((text: string) => `other ${text}`, {
      name: 'other',
      inputSchema,
      needsApproval: (text) => text !== 'harmless',
    });
    const dispatcher = dispatcherOf({
      tools: [free, gated, other, ...more],
      executor: executor(),
      approve: (request) =>
        new Promise((answer) => {
          questions.push({ ...request, answer });
        }),
    });
    return {
      free,
      gated,
      other,
      dispatcher,
      questions,
      run: (code: string, wallMs = 30_000, signal?: AbortSignal): Promise<Outcome> =>
        executor().run({
          code,
          tools: createGuestTools(dispatcher, dispatcher.registry.names),
          limits: { wallMs },
          signal,
        }),
      /** Waits until so many questions were asked; each is answered once, by its number. */
      asked: (count: number) => until(() => questions.length >= count),
    };
  }

  test.each([
    ['in their order', [0, 1]],
    ['the last one first', [1, 0]],
  ])('are answered %s, run once each, and keep their order', async (_what, order) => {
    const { run, asked, questions, gated, other } = setUp();
    const outcome = run("return Promise.all([gated('a'), other('b')])");
    await asked(2);
    for (const index of order) {
      questions[index]?.answer(approved);
      // The tool runs before the next answer.
      const answered = questions[index]?.tool === gated.name ? gated : other;
      await until(() => answered.calls.length > 0);
    }
    expect(valueOf(await outcome)).toEqual(['gated a', 'other b']);
    expect([gated.calls, other.calls]).toEqual([['a'], ['b']]);
    expect(questions).toHaveLength(2);
  });

  test('may call the same tool: each has its own question and answer', async () => {
    const { run, asked, questions, gated } = setUp();
    const outcome = run("return Promise.all([gated('a'), gated('b'), gated('c')])");
    await asked(3);
    const answers = new Map<unknown, ApprovalDecision>([
      ['a', { decision: 'edit', args: 'A' }],
      ['b', approved],
      ['c', { decision: 'edit', args: 'C' }],
    ]);
    for (const { args, answer } of questions.toReversed()) answer(answers.get(args) ?? approved);
    expect(valueOf(await outcome)).toEqual(['gated A', 'gated b', 'gated C']);
    expect(gated.calls).toHaveLength(3);
    expect(new Set(gated.calls)).toEqual(new Set(['A', 'b', 'C']));
    expect(new Set(questions.map(({ dispatchId }) => dispatchId)).size).toBe(3);
  });

  test('get different answers: what is denied never runs, and the guest hears why', async () => {
    const { run, asked, questions, gated, other } = setUp();
    const outcome = run(`
      const settled = await Promise.allSettled([gated('a'), other('b')]);
      return settled.map(({ value, reason }) => value ?? [reason.name, reason.code, reason.message])`);
    await asked(2);
    questions.find(({ tool }) => tool === 'other')?.answer(approved);
    questions
      .find(({ tool }) => tool === 'gated')
      ?.answer({ decision: 'deny', reason: 'too dear' });
    expect(valueOf(await outcome)).toEqual([
      ['ToolCallError', 'denied', 'gated was denied: too dear'],
      'other b',
    ]);
    expect([gated.calls, other.calls]).toEqual([[], ['b']]);
  });

  test('hold up nothing that needs no answer', async () => {
    const { run, asked, questions, free, gated, other } = setUp();
    const outcome = run(
      "return Promise.all([free('1'), gated('2'), other('harmless'), other('3'), free('4')])",
    );
    await asked(2);
    await until(() => free.calls.length === 2 && other.calls.length === 1);
    expect(gated.calls).toEqual([]);
    for (const { answer } of questions) answer(approved);
    expect(valueOf(await outcome)).toEqual([
      'free 1',
      'gated 2',
      'other harmless',
      'other 3',
      'free 4',
    ]);
    expect([free.calls, gated.calls, other.calls]).toEqual([['1', '4'], ['2'], ['harmless', '3']]);
  });

  test('do not run again what ran before, and are not asked again', async () => {
    const { run, asked, questions, free, gated, other } = setUp();
    const outcome = run(`
      const branch = async (n) => {
        const before = await free(n);
        const first = await gated(before);
        return other(first);
      };
      return Promise.all([branch('a'), branch('b')])`);
    for (const count of [1, 2, 3, 4]) {
      await asked(count);
      questions[count - 1]?.answer(approved);
    }
    expect(valueOf(await outcome)).toEqual(['other gated free a', 'other gated free b']);
    expect([free.calls.length, gated.calls.length, other.calls.length]).toEqual([2, 2, 2]);
    expect(questions).toHaveLength(4);
  });

  test('use no time of the run, and the rest of it still has a limit', async () => {
    const { run, asked, questions } = setUp();
    const wallMs = await ampleWallMs(() => run("return free('a')"));
    const outcome = run("await Promise.all([gated('a'), other('b')]); for (;;);", wallMs);
    await asked(2);
    questions[1]?.answer(approved);
    await delay(1.2 * wallMs);
    const { result, graceMs } = await withGrace(() => {
      questions[0]?.answer(approved);
      return outcome;
    });
    expect(errorOf(result)).toMatchObject({ code: 'WALL_LIMIT', limit: wallMs });
    expect(result.usage.wallMs).toBeGreaterThanOrEqual(wallMs - 1);
    expect(result.usage.wallMs).toBeLessThan(wallMs + graceMs);
  });

  test('leave the time of each attempt as it is', async () => {
    const slow = counted(() => new Promise(() => undefined), {
      name: 'slow',
      needsApproval: true,
      timeoutMs: 50,
    });
    const { run, asked, questions } = setUp([slow]);
    const outcome = run(
      "const quick = gated('a'); return [await slow('b').catch((error) => error.code), await quick]",
    );
    await asked(2);
    // Twice the time that an attempt has.
    await delay(100);
    for (const { answer } of questions) answer(approved);
    expect(valueOf(await outcome)).toEqual(['timeout', 'gated a']);
    expect(slow.calls).toEqual(['b']);
  });

  test('end at once when the run is aborted, and run nothing afterwards', async () => {
    const controller = new AbortController();
    const { run, asked, questions, gated, other } = setUp();
    const { signal } = controller;
    const outcome = run("return Promise.all([gated('a'), other('b')])", undefined, signal);
    await asked(2);
    const { result, tookMs, graceMs } = await withGrace(() => {
      controller.abort('enough');
      return outcome;
    });
    expect(errorOf(result)).toMatchObject({ code: 'ABORTED', cause: 'enough' });
    expect(tookMs).toBeLessThan(graceMs);
    for (const { answer } of questions) answer(approved);
    // The time of a whole run with a call is enough for what an answer would bring about.
    expect(valueOf(await run("return free('c')"))).toBe('free c');
    expect([gated.calls, other.calls]).toEqual([[], []]);
  });

  test('are within a tool that runs in the box: its clock stands still as well', async () => {
    const calm = { name: 'calm', source: 'return free(args)', uses: ['free'] } satisfies AnyTool;
    const calibration = setUp([calm]);
    const wallMs = await ampleWallMs(() => calibration.run("return calm('x')"));
    const nested: AnyTool = {
      name: 'nested',
      source: "return Promise.all([gated(args + '1'), gated(args + '2'), free(args)])",
      uses: ['gated', 'free'],
      limits: { wallMs },
    };
    const { run, asked, questions, gated } = setUp([nested]);
    const outcome = run("return [await nested('x'), await free('y')]", 2 * wallMs);
    await asked(2);
    await delay(2.2 * wallMs);
    for (const { answer } of questions.toReversed()) answer(approved);
    expect(valueOf(await outcome)).toEqual([['gated x1', 'gated x2', 'free x'], 'free y']);
    expect(gated.calls).toHaveLength(2);
    expect(questions.map(({ within }) => within)).toEqual([['nested'], ['nested']]);
  });
});
