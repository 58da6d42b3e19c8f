import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { FileSessionStore, PlanExecuteAgent, SqliteSessionStore } from '@glovebox/core';
import type { InFlightDecision, PlanStep, SessionStore, ToolContext } from '@glovebox/core';

import { dispatcherOf } from './dispatch.ts';
import { step, tool } from './plan.ts';

export const GOAL = 'ten steps, one replan, one gather';
export const SESSION = 'ten-steps';

const first: PlanStep[] = [
  step(1, 'send', { to: 'a' }),
  step(2, 'put', { key: 'b' }),
  {
    id: 3,
    gather: [
      step(31, 'send', { to: 'c' }),
      step(32, 'put', { key: 'd' }),
      step(33, 'send', { to: 'e' }),
    ],
  },
  step(4, 'fail'),
  step(5, 'send', { to: 'f' }),
];
const second: PlanStep[] = [
  step(2, 'put', { key: 'b' }),
  step(6, 'send', { to: 'g', after: { $result: 3 } }),
  step(5, 'send', { to: 'f' }),
  step(7, 'put', { key: 'h' }),
  step(8, 'send', { to: 'i' }),
];

export type StoreKind = 'file' | 'sqlite';

export function storeIn(folder: string, kind: StoreKind): SessionStore {
  return kind === 'file'
    ? new FileSessionStore({ directory: folder, fsync: 'never' })
    : new SqliteSessionStore({ file: path.join(folder, 'sessions.db'), fsync: 'never' });
}

/** Every side effect so far, by the key of its call. */
export function effectsIn(folder: string): string[] {
  return readFileSync(path.join(folder, 'effects'), 'utf8').split('\n').slice(0, -1);
}

/**
 * An agent whose tools leave a trace in a file: `send` must not be called twice, `put` may be. When
 * it resumes, it looks in the file whether a `send` was carried out.
 */
export function tenStepsAgent(folder: string, store: SessionStore): PlanExecuteAgent {
  const effects = path.join(folder, 'effects');
  appendFileSync(effects, '');
  const act = (_args: object, { idempotencyKey, tool: name }: ToolContext): string => {
    appendFileSync(effects, `${name} ${idempotencyKey}\n`);
    return `${name} is done`;
  };
  const tools = [
    tool('send', act),
    tool('put', act, { idempotent: true }),
    tool('fail', () => {
      throw new Error('as planned');
    }),
  ];
  return new PlanExecuteAgent({
    // By what has happened, and not by how often this process asked.
    planner: (_goal, _history, lastError) =>
      lastError === null ? first : lastError === 'Error: as planned' ? second : [],
    dispatcher: dispatcherOf({ tools }),
    store,
    decideInFlight: ({ toolName, idempotencyKey }): InFlightDecision =>
      effectsIn(folder).includes(`${toolName} ${idempotencyKey}`)
        ? { action: 'take_result', result: 'send is done' }
        : { action: 'run_again' },
  });
}
