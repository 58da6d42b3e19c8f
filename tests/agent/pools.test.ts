import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { agentOf, code } from '../support/agent.ts';
import { counted } from '../support/dispatch.ts';
import { describeEachPool } from '../support/pools.ts';

describeEachPool('code agents', (executor) => {
  test('keep state, call tools and give values', async () => {
    const lines = [
      code('const found = await Promise.all(ids.map((id) => work({ id })))'),
      code('await finalAnswer(new Map(found))'),
    ];
    const { agent } = agentOf(lines, {
      executor: executor(),
      tools: [counted(({ id }: { id: number }) => [id, new Date(id)])],
    });
    const result = await agent.run('Go.', { variables: { ids: [1, 2] } });
    expect(result.answer).toEqual(
      new Map([
        [1, new Date(1)],
        [2, new Date(2)],
      ]),
    );
  });

  test('are stopped within a step, and go on', async () => {
    const begun = Promise.withResolvers<void>();
    const { agent } = agentOf(
      [code('await work(); await new Promise(() => undefined)'), code('await finalAnswer(1)')],
      { executor: executor(), tools: [counted(() => begun.resolve())] },
    );
    const run = agent.run('Go.');
    await begun.promise;
    await delay(10);
    agent.interrupt('enough');
    expect(await run).toMatchObject({ reason: 'interrupted', cause: 'enough' });
    expect(await agent.run('Go on.', { reset: false })).toMatchObject({ answer: 1 });
  });
});
