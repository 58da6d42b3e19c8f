import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { finish, runScript, startScript } from '../support/script.ts';
import type { Finished } from '../support/script.ts';
import { onTerminal } from '../support/terminal.ts';

const CLI = 'packages/core/src/cli/bin.ts';
const PLANNER = 'tests/fixtures/plans/planner.ts';

let folder: string;
let store: string;
let calls: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-plan-'));
  store = path.join(folder, 'sessions');
  calls = path.join(folder, 'calls');
  process.env['GLOVEBOX_TEST_CALLS'] = calls;
});
afterEach(async () => {
  delete process.env['GLOVEBOX_TEST_CALLS'];
  await rm(folder, { recursive: true });
});

const plan = (...args: string[]): Promise<Finished> =>
  runScript(CLI, ['plan', ...args, '--store', store]);

async function file(contents: unknown, name = 'plan.json'): Promise<string> {
  const where = path.join(folder, name);
  await writeFile(where, typeof contents === 'string' ? contents : JSON.stringify(contents));
  return where;
}

const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
const callsMade = async (): Promise<string[]> =>
  existsSync(calls) ? linesOf(await readFile(calls, 'utf8')) : [];

/** The one session that the store has. */
async function onlySession(): Promise<string> {
  const logs = (await readdir(store)).filter((name) => name.endsWith('.ndjson'));
  expect(logs).toHaveLength(1);
  return path.basename(logs[0] ?? '', '.ndjson');
}

const steps = [
  { id: 1, code: 'return [1, 2, 3]' },
  { id: 2, code: 'return new Map([[rows.length, rows]])', args: { rows: { $result: 1 } } },
];

describe('glovebox plan', () => {
  test('carries out a file of steps: the last result on stdout, progress on stderr', async () => {
    const { code, stdout, stderr } = await plan(await file({ goal: 'count', steps }), '--yes');
    expect(JSON.parse(stdout)).toEqual(
      expect.objectContaining({ js: 'Map', data: [[3, [1, 2, 3]]] }),
    );
    expect(linesOf(stderr)).toEqual([
      'plan 0: approve',
      'plan 0: 2 steps',
      '  ● 1 plan.code',
      '  ✔ 1',
      '  ● 2 plan.code',
      '  ✔ 2',
      'goal_met Every step of the plan is done.',
    ]);
    expect(code).toBe(0);
  });

  test('carries out what a module plans, and shows how the plan changes', async () => {
    const { code, stdout, stderr } = await plan(PLANNER, '--yes');
    expect([code, stdout]).toEqual([0, '"pay is done"\n']);
    expect(linesOf(stderr)).toEqual([
      'plan 0: approve',
      'plan 0: 4 steps',
      '  ● 1 fetch',
      '  ✔ 1',
      '  2 gather (all): 2 branches',
      '  ● 21 fetch',
      '  ● 22 wait',
      '  ✔ 21',
      '  ✔ 22',
      '  ✔ 2',
      '  ● 3 broken',
      '  ✖ 3  Error: the backend is down',
      'plan 1 by planner: -4 +5 ~3',
      'plan 1: approve',
      'plan 1: 2 steps',
      '  ● 3 render',
      '  ✔ 3',
      '  ● 5 pay',
      '  ✔ 5',
      'goal_met Every step of the plan is done.',
    ]);
    expect(await callsMade()).toEqual(['fetch', 'fetch', 'wait', 'render', 'pay']);
  });

  test('prints the whole result as JSON', async () => {
    const { stdout } = await plan(PLANNER, '--yes', '--json', '--goal', 'another goal');
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ status: 'completed', reason: 'goal_met' });
    expect(result.history).toHaveLength(6);
    expect(result.revisions).toMatchObject([
      { revision: 1, removed: [4], added: [5], revised: [3] },
    ]);
  });

  test('prints the events as they come, one a line', async () => {
    const { stdout } = await plan(await file(steps), '--yes', '--events');
    const events = linesOf(stdout).map((line) => JSON.parse(line));
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'plan.draft'],
      [2, 'plan.approval'],
      [3, 'plan.commit'],
      [4, 'step.start'],
      [5, 'step.end'],
      [6, 'step.start'],
      [7, 'step.end'],
      [8, 'session.complete'],
    ]);
  });

  test('shows the first plan and carries out nothing', async () => {
    const { code, stdout } = await plan(PLANNER, '--dry-run');
    expect(stdout).toBe(
      `ship the report
  ○ 1 fetch  the input is there
  ○ 2 gather (all)
    ○ 21 fetch
    ○ 22 wait
  ○ 3 broken
  ○ 4 render
`,
    );
    expect([code, await callsMade(), existsSync(store)]).toEqual([0, [], false]);
  });

  test('takes its tools from another module', async () => {
    const given = await file([{ id: 1, toolName: 'render' }]);
    const { stdout } = await plan(given, '--module', PLANNER, '--yes');
    expect(stdout).toBe('"render is done"\n');
  });

  interface Case {
    readonly what: string;
    readonly contents?: unknown;
    readonly flags: readonly string[];
    readonly exit: number;
    readonly says: RegExp;
  }
  const cases: readonly Case[] = [
    {
      what: 'a plan of more steps than allowed',
      contents: steps,
      flags: ['--yes', '--max-steps', '1'],
      exit: 5,
      says: /^step_budget /m,
    },
    {
      what: 'more failures than allowed',
      flags: ['--yes', '--max-replans', '0'],
      exit: 6,
      says: /^replan_budget /m,
    },
    { what: 'no plan', contents: [], flags: ['--yes'], exit: 7, says: /^no_plan /m },
    {
      what: 'a plan that nobody can be asked about',
      contents: steps,
      flags: [],
      exit: 8,
      says: /^rejected nobody can be asked here; use a terminal, or --yes$/m,
    },
    {
      what: 'a plan that nobody may be asked about',
      contents: steps,
      flags: ['--no-input'],
      exit: 8,
      says: /^rejected /m,
    },
    {
      what: 'a file whose step fails',
      contents: [{ id: 1, code: 'throw new RangeError("too much")' }],
      flags: ['--yes'],
      exit: 9,
      says: /^gave_up There is no planner\. RangeError: too much$/m,
    },
    {
      what: 'what is no plan',
      contents: [{ id: 1, tool: 'fetch' }],
      flags: ['--yes'],
      exit: 1,
      says: /^bad_plan Step at position 1: /m,
    },
    {
      what: 'budgets of the file',
      contents: { goal: 'g', steps, maxSteps: 1 },
      flags: ['--yes'],
      exit: 5,
      says: /^step_budget /m,
    },
  ];
  test.each(cases)('tells $what by exit code $exit', async ({ contents, flags, exit, says }) => {
    const given = contents === undefined ? PLANNER : await file(contents);
    const { code, stdout, stderr } = await plan(given, ...flags);
    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual([exit, '']);
  });

  test.each<[what: string, args: readonly string[], says: RegExp]>([
    ['a file that is not there', ['nowhere.json'], /no such file/],
    ['a module that is not there', ['nowhere.ts'], /nowhere\.ts/],
    ['a number that is none', [PLANNER, '--max-steps', 'many'], /Give a whole number/],
    ['a session that is not there', ['resume', 'nobody'], /There is no session nobody\./],
    ['a name that is none', ['replay', '../../etc/passwd'], /sessionId/],
    ['a revision that is none', ['diff', 'nobody', 'a', 'b'], /Give a whole number/],
    ['no file', [], /missing required argument/],
  ])('refuses %s as misuse', async (_what, args, says) => {
    const { code, stdout, stderr } = await plan(...args);
    expect(stderr).toMatch(says);
    expect([code, stdout]).toEqual([2, '']);
  });

  test.each([
    ['no JSON', '{', 'plan.json', /is not JSON/],
    ['a plan without steps', '{}', 'plan.json', /is not a valid plan: steps: /],
    [
      'a module without a planner',
      'export const goal = "g"',
      'plan.mjs',
      /exports neither a planner nor steps/,
    ],
  ])('refuses a file with %s', async (_what, contents, name, says) => {
    const { code, stderr } = await plan(await file(contents, name), '--yes');
    expect([code, stderr]).toEqual([2, expect.stringMatching(says)]);
  });

  test('explains itself', async () => {
    for (const args of [[], ['resume'], ['replay'], ['diff']]) {
      const { code, stdout } = await plan(...args, '--help');
      expect([code, stdout]).toEqual([0, expect.stringContaining('Usage: glovebox plan')]);
    }
  });
});

describe('a session of it', () => {
  test('is stopped by Ctrl-C, resumed, replayed and compared', async () => {
    const child = startScript(CLI, ['plan', PLANNER, '--yes', '--store', store]);
    child.stderr?.on('data', (text: Buffer) => {
      if (text.includes('✔ 21')) child.kill('SIGINT');
    });
    const { code, stderr } = await finish(child);
    const id = await onlySession();
    expect(linesOf(stderr).slice(-2)).toEqual([
      'aborted Error: Interrupted.',
      `Resume it with: glovebox plan resume ${id}`,
    ]);
    expect(code).toBe(130);

    const resumed = await plan('resume', id, '--yes');
    expect(resumed.code).toBe(0);
    expect(linesOf(resumed.stderr)[0]).toBe('resumed; interrupted steps: 22 (run again)');
    // What was done is not done again.
    expect(await callsMade()).toEqual(['fetch', 'fetch', 'wait', 'wait', 'render', 'pay']);

    const replayed = await plan('replay', id);
    expect(linesOf(replayed.stdout)).toContain('resumed; interrupted steps: 22 (run again)');
    expect(linesOf(replayed.stdout).at(-1)).toBe('goal_met Every step of the plan is done.');
    const events = linesOf((await plan('replay', id, '--events')).stdout);
    expect(events.map((line) => JSON.parse(line).seq)).toEqual(events.map((_, index) => index + 1));
    expect(JSON.parse((await plan('replay', id, '--json')).stdout).reason).toBe('goal_met');

    const { stdout: difference } = await plan('diff', id, '0', '1');
    expect(linesOf(difference)).toEqual(['- 4 render', '+ 5 pay', '~ 3 render  another way']);
    expect(JSON.parse((await plan('diff', id, '1', '0', '--json')).stdout)).toMatchObject({
      removed: [5],
      added: [1, 2, 4, 21, 22],
      revised: [3],
    });
    expect((await plan('diff', id, '0', '7')).stderr).toMatch(/has no revision 7/);
  });

  test('whose output nobody reads any more makes no noise', async () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, toolName: 'fetch' }));
    const given = await file({ goal: 'g', steps: rows, maxSteps: 200 });
    await plan(given, '--module', PLANNER, '--yes');
    const id = await onlySession();
    const node = `${process.execPath} --conditions=@glovebox/source --no-warnings`;
    const shell = spawn('/bin/sh', [
      '-c',
      `${node} ${CLI} plan replay ${id} --events --store ${store} | head -n 1`,
    ]);
    const { stdout, stderr } = await finish(shell);
    expect([linesOf(stdout).length, stderr]).toEqual([1, '']);
  });
});

describe('on a terminal', () => {
  const node = `${process.execPath} --conditions=@glovebox/source --no-warnings`;

  test('plans and calls are asked about, and the checklist shows what changed', async () => {
    const { code, stdout } = await onTerminal(`${node} ${CLI} plan ${PLANNER} --store ${store}`, [
      ['Execute this plan?', 'y\n'],
      ['Execute this plan?', 'y\n'],
      ['Call it?', 'y\n'],
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/steps \d+\/12 · replans 1\/5/);
    // Struck through, and highlighted.
    expect(stdout).toContain('\u001B[9m4 render');
    expect(stdout).toContain('+ 5 pay');
    expect(stdout).toContain('~ 3 render');
    expect(stdout).toContain('Error: the backend is down');
    // What a tool says cannot steer the terminal.
    expect(stdout).not.toContain('\u001B[31mbackend');
    expect(await callsMade()).toEqual(['fetch', 'fetch', 'wait', 'render', 'pay']);
  });

  test('a plan is edited in the editor', async () => {
    const given = await file({ goal: 'g', steps: [{ id: 1, toolName: 'fetch' }] });
    const command = `EDITOR='sed -i s/fetch/render/' ${node} ${CLI} plan ${given} --module ${PLANNER} --store ${store}`;
    const { code } = await onTerminal(command, [['Execute this plan?', 'e\n']]);
    expect([code, await callsMade()]).toEqual([0, ['render']]);
    const { stdout } = await plan('replay', await onlySession());
    expect(linesOf(stdout).slice(0, 2)).toEqual(['plan 0: edit', 'plan 1 by person: ~1']);
  });

  test('a plan is rejected with a reason', async () => {
    const { code, stdout } = await onTerminal(`${node} ${CLI} plan ${PLANNER} --store ${store}`, [
      ['Execute this plan?', 'n\n'],
      ['Why not?', 'too dear\n'],
    ]);
    expect(stdout).toContain('too dear');
    expect([code, await callsMade()]).toEqual([8, []]);
  });
});
