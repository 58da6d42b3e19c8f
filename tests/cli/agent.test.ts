import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { runScript } from '../support/script.ts';
import type { Finished } from '../support/script.ts';
import { onTerminal } from '../support/terminal.ts';

const CLI = 'packages/core/src/cli/bin.ts';
const HOST = 'tests/fixtures/agent-host.ts';

let root: string;
let folder: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'glovebox-cli-'));
  folder = path.join(root, 'clerk');
  await agent('new', folder, '--model', 'maker/model', '--name', 'clerk');
});
afterAll(() => rm(root, { recursive: true }));

const agent = (...args: string[]): Promise<Finished> => runScript(CLI, ['agent', ...args]);

const run = (...args: string[]): Promise<Finished> =>
  agent('run', folder, 'Count the words.', '--module', HOST, '--var', 'text=one two\nTWO', ...args);

test.each([
  [['new', '/dev/null/x', '--model', 'a/b']],
  [['new', 'FOLDER', '--model', 'a/b', '--name', '../x']],
  [['new', 'packages', '--model', 'a/b']],
  [['new', 'FOLDER']],
  [['inspect', 'packages']],
  [['run', 'packages', 'Go.']],
  [['run', 'FOLDER']],
  [['run', 'FOLDER', 'Go.', '--max-steps', 'x']],
  [['run', 'FOLDER', 'Go.', '--module', 'no-such-file.ts']],
  [['run', 'FOLDER', 'Go.', '--var', 'finalAnswer=1']],
])('glovebox agent %j is misuse', async (args) => {
  const { code, stdout } = await agent(...args.map((arg) => (arg === 'FOLDER' ? folder : arg)));
  expect([code, stdout]).toEqual([2, '']);
});

test('glovebox agent new tells what it wrote', async () => {
  const other = path.join(root, 'other');
  const { code, stdout, stderr } = await agent('new', other, '--model', 'maker/model');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toContain(`${other}/tools/word_count.ts`);
});

describe('glovebox agent inspect', () => {
  test('says what an agent may do', async () => {
    const { code, stdout } = await agent('inspect', folder);
    const { length } = await readFile(path.join(folder, 'tools/word_count.ts'), 'utf8');
    expect(code).toBe(0);
    expect(stdout).toBe(`\
clerk: Answers questions about texts.
  model     maker/model
  steps     20, plans every 5
  each step 10000 ms, 128 MiB, 256 tool calls
  tools
    word_count (in the sandbox, ${length} characters): Counts the words of a text.
  access    these tools and agents; no network, no files, no modules
  needs     nothing from you
`);
  });

  test('prints it as JSON', async () => {
    const { code, stdout } = await agent('inspect', folder, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'clerk',
      limits: { wallMs: 10_000, resultBytes: 4 * 1024 * 1024 },
      tools: [{ name: 'word_count', kind: 'source', needsApproval: false }],
      needs: { models: [], tools: [], callbacks: [], finalAnswerChecks: [] },
    });
  });

  test('refuses what was tampered with', async () => {
    const bad = path.join(root, 'bad');
    await agent('new', bad, '--model', 'maker/model');
    await writeFile(path.join(bad, 'tools/extra.ts'), '');
    const { code, stderr } = await agent('inspect', bad);
    expect([code, stderr]).toEqual([2, 'glovebox: tools/extra.ts is not named in agent.json.\n']);
  });
});

describe('glovebox agent run', () => {
  test('prints the answer on stdout, and what happens on stderr', async () => {
    const { code, stdout, stderr } = await run('--yes');
    expect(code).toBe(0);
    expect(stdout).toBe("{ words: 3, counts: Map(2) { 'one' => 1, 'two' => 2 } }\n");
    expect(stderr).toContain('Plan\nCount words.');
    expect(stderr).toContain('Step 1\nconst counted = await word_count({ text });');
    expect(stderr).toContain('Logs:\nred');
    expect(stderr).not.toContain('\u001B');
  });

  test('prints the whole result as JSON', async () => {
    const { code, stdout } = await run('--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'completed',
      reason: 'answered',
      stepCount: 2,
      usage: { inputTokens: 30, outputTokens: 15 },
      steps: [
        { type: 'task', variables: ['text'] },
        { type: 'planning' },
        { type: 'action' },
        { type: 'action' },
        { type: 'final' },
      ],
    });
  });

  test('rejects plans where nobody can be asked', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stdout]).toEqual([8, '']);
    expect(stderr).toContain('The plan was rejected: nobody can be asked here');
    expect(stderr).not.toContain('Step 1');
  });

  test('says that the steps are used up', async () => {
    const { code, stdout, stderr } = await run('--yes', '--max-steps', '1');
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toContain('There was no answer');
  });

  test('says that the tokens are used up', async () => {
    const { code } = await run('--yes', '--max-tokens', '20');
    expect(code).toBe(3);
  });

  test('a plan can be edited on the terminal', async () => {
    const node = `EDITOR='sed -i s/words/lines/' ${process.execPath} --conditions=@glovebox/source --no-warnings`;
    const command = `${node} ${CLI} agent run ${folder} Go. --module ${HOST} --var text='"one\\ntwo"'`;
    const { code, stdout } = await onTerminal(command, [
      ['Continue with this plan?', 'what\n'],
      ['Continue with this plan?', 'e\n'],
      ['Continue with this plan?', 'y\n'],
    ]);
    expect(code).toBe(0);
    expect(stripVTControlCharacters(stdout)).toMatch(/\n2\s*$/);
  });

  test('a plan can be rejected on the terminal', async () => {
    const node = `${process.execPath} --conditions=@glovebox/source --no-warnings`;
    const command = `${node} ${CLI} agent run ${folder} Go. --module ${HOST}`;
    const { code, stdout } = await onTerminal(command, [['Continue with this plan?', 'n\n']]);
    expect(code).toBe(8);
    expect(stdout).toContain('The plan was rejected.');
    expect(stdout).not.toContain('Step 1');
  });
});
