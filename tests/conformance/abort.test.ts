import { expect, test } from 'vitest';

import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('abort', (executor) => {
  test('a signal ends a run, and its reason is the cause', async () => {
    const controller = new AbortController();
    const reason = new Error('user left');
    const outcome = await executor().run({
      code: 'await begun(); for (;;);',
      tools: { begun: () => void setTimeout(() => controller.abort(reason), 50) },
      signal: controller.signal,
    });
    const error = errorOf(outcome);
    expect(error).toMatchObject({ code: 'ABORTED', ran: 'yes' });
    expect(error.cause).toBe(reason);
    expect(outcome.usage.wallMs).toBeLessThan(400);
  });

  test('a signal that has fired already keeps the code from running', async () => {
    let called = false;
    const outcome = await executor().run({
      code: 'await mark()',
      tools: { mark: () => (called = true) },
      signal: AbortSignal.abort(),
    });
    expect(errorOf(outcome)).toMatchObject({ code: 'ABORTED', ran: 'no' });
    expect(called).toBe(false);
  });

  test('a run that waits in the queue can be aborted', async () => {
    const controller = new AbortController();
    const wait = 'await new Promise((resolve) => setTimeout(resolve, 300)); return 1';
    const before = [0, 1].map(() => executor().run({ code: wait }));
    const waiting = executor().run({ code: 'return 2', signal: controller.signal });
    const after = executor().run({ code: 'return 3' });
    controller.abort();
    expect(errorOf(await waiting)).toMatchObject({ code: 'ABORTED', ran: 'no' });
    for (const outcome of await Promise.all(before)) expect(valueOf(outcome)).toBe(1);
    expect(valueOf(await after)).toBe(3);
  });

  test('a signal that fires after the end changes nothing', async () => {
    const controller = new AbortController();
    const outcome = await executor().run({ code: 'return 1', signal: controller.signal });
    controller.abort();
    expect(valueOf(outcome)).toBe(1);
    expect(valueOf(await executor().run({ code: 'return 2' }))).toBe(2);
  });
});
