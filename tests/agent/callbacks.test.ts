import { setTimeout as delay } from 'node:timers/promises';

import { CodeAgent } from '@glovebox/core/agent';
import type { AgentResult, MemoryStep, StepCallbacks, StepContext } from '@glovebox/core/agent';
import { describe, expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code, silentModel } from '../support/agent.ts';
import { counted } from '../support/dispatch.ts';

const executor = useExecutor();

const LINES = ['Plan.', code('await work()'), code('await finalAnswer(await work())')];

/** A run of an agent that plans, uses a tool in two steps, and has these callbacks. */
async function runWith(
  stepCallbacks: StepCallbacks | ((step: MemoryStep, context: StepContext) => unknown)[],
): Promise<{ result: AgentResult; work: { calls: unknown[] }; calls: number; agent: CodeAgent }> {
  const work = counted(() => 1);
  const { agent, model } = agentOf(LINES, {
    executor: executor(),
    planningInterval: 5,
    tools: [work],
    stepCallbacks,
  });
  const result = await agent.run('Go.');
  return { result, work, calls: model.calls.length, agent };
}

describe('callbacks', () => {
  test('are called for the steps of their kind, in order, and waited for', async () => {
    const heard: string[] = [];
    const hear =
      (who: string) =>
      async (step: MemoryStep): Promise<void> => {
        await delay(1);
        heard.push(`${who}:${step.type}`);
      };
    await runWith({
      task: hear('a'),
      planning: [hear('b'), hear('c')],
      action: hear('d'),
      final: hear('e'),
      any: hear('f'),
    });
    expect(heard).toEqual([
      'a:task',
      'f:task',
      'b:planning',
      'c:planning',
      'f:planning',
      'd:action',
      'f:action',
      'd:action',
      'f:action',
      'e:final',
      'f:final',
    ]);
  });

  test('in a list are for action steps', async () => {
    const heard: string[] = [];
    await runWith([(step) => heard.push(step.type), () => undefined]);
    expect(heard).toEqual(['action', 'action']);
  });

  test('for code see it before it runs, and may change it', async () => {
    const seen: (string | undefined)[] = [];
    const { agent, model } = agentOf([code('return 1'), code('await finalAnswer(n)')], {
      executor: executor(),
      stepCallbacks: {
        code: (step) => {
          seen.push(step.code);
          if (step.stepNumber === 1) step.code = 'const n = 5;';
        },
      },
    });
    expect(await agent.run('Go.')).toMatchObject({ answer: 5 });
    expect(seen).toEqual(['return 1', 'await finalAnswer(n)']);
    const told = model.calls[1]?.join('\n');
    expect(told).toContain('const n = 5;');
    expect(told).not.toContain('return 1');
  });

  test('for code may stop the run before it runs', async () => {
    const { result, work, agent } = await runWith({
      code: (step, { interrupt }) => interrupt(`not ${step.code}`),
    });
    expect(result).toMatchObject({ reason: 'interrupted', cause: 'not await work()' });
    expect(work.calls).toEqual([]);
    expect(agent.memory.steps.map(({ type }) => type)).toEqual(['task', 'planning']);
  });

  test('of a run are called after those of the agent', async () => {
    const heard: string[] = [];
    const { agent } = agentOf([code('await finalAnswer(1)'), code('await finalAnswer(2)')], {
      executor: executor(),
      stepCallbacks: [() => heard.push('agent')],
    });
    await agent.run('Go.', { stepCallbacks: { action: () => heard.push('run') } });
    await agent.run('Go.');
    expect(heard).toEqual(['agent', 'run', 'agent']);
  });

  test('that throw end the run, and what they threw is told', async () => {
    const { result, work } = await runWith({
      planning: () => {
        throw new RangeError('no such plan');
      },
    });
    expect(result).toMatchObject({
      status: 'failed',
      reason: 'callback_error',
      message: 'no such plan',
    });
    expect(result.cause).toBeInstanceOf(RangeError);
    expect(work.calls).toEqual([]);
  });
});

describe('an interruption', () => {
  test.each([
    ['task', 0, 0],
    ['planning', 1, 0],
    ['action', 2, 1],
  ] as const)(
    'in a callback for a %s step lets nothing run afterwards',
    async (kind, asked, used) => {
      const later: string[] = [];
      const { result, work, calls } = await runWith({
        [kind]: [
          (_step: MemoryStep, { interrupt }: StepContext) => interrupt('not like this'),
          () => later.push('the next callback'),
        ],
      });
      expect(result).toMatchObject({
        status: 'interrupted',
        reason: 'interrupted',
        cause: 'not like this',
        message: 'not like this',
        answer: undefined,
      });
      expect([calls, work.calls.length, later]).toEqual([asked, used, []]);
    },
  );

  test('can be followed by a run that goes on with the memory', async () => {
    let approved = false;
    const work = counted(() => 1);
    const { agent, model } = agentOf(['Plan.', 'Better plan.', code('await finalAnswer(1)')], {
      executor: executor(),
      planningInterval: 5,
      tools: [work],
      stepCallbacks: {
        planning: (_step, { interrupt }) => {
          if (!approved) interrupt('rejected');
        },
      },
    });
    expect(await agent.run('Go.')).toMatchObject({ reason: 'interrupted' });
    approved = true;
    expect(await agent.run('Go on.', { reset: false })).toMatchObject({ answer: 1 });
    expect(agent.memory.steps.map(({ type }) => type)).toEqual([
      'task',
      'planning',
      'task',
      'planning',
      'action',
      'final',
    ]);
    expect(model.calls[2]?.join('\n')).toMatch(/Go\.[\s\S]*Better plan\./);
  });

  test('stops endless code, and the run can go on', async () => {
    const begun = Promise.withResolvers<void>();
    const { agent, model } = agentOf(
      [
        code('globalThis.kept = 1; await work(); for (;;);'),
        code('await finalAnswer(typeof kept)'),
      ],
      { executor: executor(), tools: [counted(() => begun.resolve())] },
    );
    const run = agent.run('Go.');
    await begun.promise;
    agent.interrupt(new Error('too long'));
    expect(await run).toMatchObject({ reason: 'interrupted', message: 'too long', stepCount: 1 });
    expect(model.calls).toHaveLength(1);
    // What the step had declared is gone with its isolate; the run goes on all the same.
    expect(await agent.run('Go on.', { reset: false })).toMatchObject({ answer: 'undefined' });
  });

  test('stops a tool that is under way', async () => {
    const begun = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const forever = counted((_args, { signal }) => {
      signal.addEventListener('abort', () => stopped.resolve());
      begun.resolve();
      return new Promise(() => undefined);
    });
    const { agent } = agentOf([code('await work()')], { executor: executor(), tools: [forever] });
    const run = agent.run('Go.');
    await begun.promise;
    agent.interrupt('enough');
    expect(await run).toMatchObject({ reason: 'interrupted', cause: 'enough' });
    await stopped.promise;
  });

  test("stops a model that does not listen, by the caller's signal too", async () => {
    await using agent = new CodeAgent({ model: silentModel(), executor: executor() });
    const controller = new AbortController();
    const run = agent.run('Go.', { signal: controller.signal });
    await delay(10);
    controller.abort('enough');
    expect(await run).toMatchObject({ status: 'interrupted', reason: 'aborted', cause: 'enough' });
  });

  test("does not take the place of the caller's own signal", async () => {
    const controller = new AbortController();
    const { agent } = agentOf([code('await finalAnswer(1)')], { executor: executor() });
    const result = await agent.run('Go.', {
      signal: controller.signal,
      stepCallbacks: {
        task: (_step, { interrupt }) => {
          controller.abort('first');
          interrupt('second');
        },
      },
    });
    expect(result).toMatchObject({ reason: 'aborted', cause: 'first' });
  });

  test('has a reason also when none was given', async () => {
    const { result } = await runWith({ planning: (_step, { interrupt }) => interrupt() });
    expect(result.message).toBe('The run was interrupted.');
  });

  test('does nothing when no run is under way', async () => {
    const { agent } = agentOf([code('await finalAnswer(1)')], { executor: executor() });
    agent.interrupt('early');
    expect(await agent.run('Go.')).toMatchObject({ answer: 1 });
  });

  test('does not begin what its signal has ended before', async () => {
    const { agent, model } = agentOf([], { executor: executor() });
    const result = await agent.run('Go.', { signal: AbortSignal.abort('early') });
    expect([result.reason, model.calls]).toEqual(['aborted', []]);
  });
});
