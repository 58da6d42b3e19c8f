import { expect, test } from 'vitest';

import { withGrace } from '../support/calibration.ts';
import { describeEachPool, errorOf, valueOf } from '../support/pools.ts';

describeEachPool('abort', (executor) => {
  test('a signal ends a run, and its reason is the cause', async () => {
    const controller = new AbortController();
    const reason = new Error('user left');
    const begun = Promise.withResolvers<void>();
    const run = executor().run({
      code: 'console.log("on"); for (;;);',
      signal: controller.signal,
      onLog: () => begun.resolve(),
    });
    await begun.promise;
    const { result, tookMs, graceMs } = await withGrace(() => {
      controller.abort(reason);
      return run;
    });
    const error = errorOf(result);
    expect(error).toMatchObject({ code: 'ABORTED', ran: 'yes' });
    expect(error.cause).toBe(reason);
    expect(tookMs).toBeLessThan(graceMs);
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
    const hold = Promise.withResolvers<number>();
    const tools = { hold: () => hold.promise };
    const before = [0, 1].map(() => executor().run({ code: 'return hold()', tools }));
    const waiting = executor().run({ code: 'return 2', signal: controller.signal });
    const after = executor().run({ code: 'return 3' });
    controller.abort();
    expect(errorOf(await waiting)).toMatchObject({ code: 'ABORTED', ran: 'no' });
    hold.resolve(1);
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
