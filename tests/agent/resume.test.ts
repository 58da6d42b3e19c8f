import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { AgentMemory } from '@glovebox/core/agent';
import { deserialize } from '@glovebox/serializer';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf, code } from '../support/agent.ts';
import { runScript } from '../support/script.ts';

const executor = useExecutor();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-agent-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('steps that a callback wrote down are gone on with after SIGKILL', async () => {
  const file = path.join(folder, 'steps');
  const dead = await runScript('tests/fixtures/agent-dies.ts', [file]);
  expect(dead.signal).toBe('SIGKILL');
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const memory = AgentMemory.from(lines.map((line) => deserialize(line)));
  expect(memory.steps.map(({ type }) => type)).toEqual(['task', 'planning', 'action', 'action']);
  const { agent, model } = agentOf(['Say it.', code('await finalAnswer("BLUE")')], {
    executor: executor(),
    planningInterval: 9,
    memory,
  });
  expect(await agent.run('Go on.', { reset: false })).toMatchObject({ answer: 'BLUE' });
  expect(model.calls[0]?.join('\n')).toContain('Result:\nBLUE');
  expect(model.calls[1]?.join('\n')).toContain("Map(1) { 'seen' => 1970-01-01T00:00:00.005Z }");
});
