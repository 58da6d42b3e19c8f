import { existsSync } from 'node:fs';

import { loadFromHub, pushToHub } from '@glovebox/core/agent';
import type { CodeAgent } from '@glovebox/core/agent';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';

import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
import { useExecutor } from '../support/adapters.ts';
import { everything, filesOf, newFolder, supplies } from '../support/agent-folder.ts';
import { agentOf, code } from '../support/agent.ts';
import { startHub, TOKEN } from '../support/hub.ts';
import type { Hub } from '../support/hub.ts';

const executor = useExecutor();
const REPO = 'maker/clerk';

let hub: Hub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub[Symbol.asyncDispose]());
beforeEach(() => hub.repositories.clear());

const push = (agent: CodeAgent, options: object = {}): ReturnType<typeof pushToHub> =>
  pushToHub(agent, REPO, { token: TOKEN, hubUrl: hub.url, ...options });

const load = (options: object = {}): Promise<CodeAgent> =>
  loadFromHub(REPO, {
    ...supplies(executor()),
    hubUrl: hub.url,
    trustRemoteCode: true,
    ...options,
  });

/** The files of the newest commit. */
function filesOnHub(): Record<string, string> {
  const files = hub.repositories.get(REPO)?.commits.at(-1)?.files ?? new Map<string, Buffer>();
  return Object.fromEntries(Array.from(files, ([path, content]) => [path, content.toString()]));
}

/** Puts a file into the repository past all checks. */
function putOnHub(path: string, content: string | Buffer): void {
  hub.repositories.get(REPO)?.commits.at(-1)?.files.set(path, Buffer.from(content));
}

test('what is pushed is what is saved, and what is loaded works', async () => {
  const { agent } = agentOf([], everything(executor()));
  const { revision, omitted } = await push(agent);
  expect(omitted).toEqual([]);
  expect(revision).toMatch(/^[0-9a-f]{40}$/);
  const folder = newFolder();
  await agent.save(folder);
  const { 'README.md': readme, ...files } = filesOnHub();
  expect(files).toEqual(await filesOf(folder));
  expect(readme).toContain('- glovebox\n');
  const { model } = scriptedModel(['Plan.', code('await finalAnswer(await score({ n: 2 }))')]);
  await using loaded = await load({ models: { 'examples/scripted': model } });
  expect(await loaded.run('Score 2.')).toMatchObject({ answer: 4 });
  const again = newFolder();
  await loaded.save(again);
  expect(await filesOf(again)).toEqual(await filesOf(folder));
});

test('pushing again replaces the agent, and leaves what is yours', async () => {
  await push(agentOf([], everything(executor())).agent);
  putOnHub('host.ts', 'mine');
  putOnHub('README.md', 'mine too');
  putOnHub('data/table.csv', 'a,b');
  await push(agentOf([], { executor: executor() }).agent, { message: 'Smaller' });
  expect(hub.repositories.get(REPO)?.commits.map(({ title }) => title)).toEqual([
    'initial commit',
    'Save the agent',
    'Smaller',
  ]);
  expect(Object.keys(filesOnHub()).toSorted()).toEqual([
    'README.md',
    'agent.json',
    'app.ts',
    'data/table.csv',
    'host.ts',
    'package.json',
    'prompts.yaml',
  ]);
  expect(filesOnHub()).toMatchObject({ 'host.ts': 'mine', 'README.md': 'mine too' });
});

test('a revision is loaded as it was', async () => {
  const first = await push(agentOf([], { executor: executor(), maxSteps: 3 }).agent);
  await push(agentOf([], { executor: executor(), maxSteps: 4 }).agent);
  expect((await load({ revision: first.revision })).options.maxSteps).toBe(3);
  expect((await load()).options.maxSteps).toBe(4);
  await expect(load({ revision: 'no-such' })).rejects.toMatchObject({ statusCode: 404 });
});

test.each([
  [true, true],
  [false, false],
  [undefined, false],
])('a repository is private where that is asked for: %s', async (isPrivate, expected) => {
  await push(agentOf([], { executor: executor() }).agent, { private: isPrivate });
  expect(hub.repositories.get(REPO)?.isPrivate).toBe(expected);
  const readers = await Promise.allSettled([load(), load({ token: TOKEN })]);
  expect(readers.map(({ status }) => status)).toEqual([
    expected ? 'rejected' : 'fulfilled',
    'fulfilled',
  ]);
});

test.each([[undefined], [false], ['yes']])(
  'nothing is loaded from a hub with trustRemoteCode %s',
  async (trustRemoteCode) => {
    await push(agentOf([], { executor: executor() }).agent);
    await expect(load({ trustRemoteCode })).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: 'trustRemoteCode',
      message: expect.stringContaining('decide what your model is told'),
    });
  },
);

test('a token that may not write is told', async () => {
  const { agent } = agentOf([], { executor: executor() });
  await expect(push(agent, { token: 'hf_reader' })).rejects.toMatchObject({ statusCode: 401 });
  expect(hub.repositories.size).toBe(0);
});

test.each([
  ['tools/../../escaped.ts', 'x', /is not a valid path of an agent file/],
  ['tools//etc/passwd', 'x', /is not a valid path/],
  ['tools/.hidden.ts', 'x', /is not a valid path/],
  ['tools/extra.ts', 'x', /is not named in agent\.json/],
  ['prompts.yaml', 'x'.repeat(5 * 1024 * 1024), /has more than 4194304 bytes/],
  ['agent.json', '{', /is not JSON/],
])('a repository that was tampered with is refused: %s', async (path, content, why) => {
  await push(agentOf([], { executor: executor() }).agent);
  putOnHub(path, content);
  await expect(load()).rejects.toMatchObject({
    code: 'AGENT_FOLDER_INVALID',
    path,
    message: expect.stringMatching(why),
  });
  expect(existsSync('/tmp/escaped.ts')).toBe(false);
});

test.each(['clerk', 'a/b/c', '../clerk', 'https://hub/maker/clerk'])(
  'what is no name of a repository is refused: %s',
  async (repo) => {
    const options = { ...supplies(executor()), hubUrl: hub.url, trustRemoteCode: true };
    await expect(loadFromHub(repo, options)).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  },
);
