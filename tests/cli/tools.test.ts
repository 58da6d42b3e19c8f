import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { finish, runScript } from '../support/script.ts';
import type { Finished } from '../support/script.ts';

const CLI = 'packages/core/src/cli/bin.ts';
const MODULE = 'tests/fixtures/tools.ts';

const call = (tool: string, args: readonly string[] = [], input = ''): Promise<Finished> =>
  runScript(CLI, ['call', tool, '--module', MODULE, ...args], input);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('glovebox tools', () => {
  test('lists the tools of a module with their types', async () => {
    const { code, stdout, stderr } = await runScript(CLI, ['tools', MODULE]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`\
declare const orders: {
  /** The total of an order. */
  total(args: { id: number; since?: Date }): Promise<{ total: number; at: Date }>;
};
`);
    expect(stdout).toContain(
      'declare function score(args: { list: unknown[] }): Promise<unknown>;',
    );
  });

  test('prints them as JSON', async () => {
    const { code, stdout } = await runScript(CLI, ['tools', MODULE, '--json']);
    expect(code).toBe(0);
    const tools = JSON.parse(stdout);
    expect(tools.map(({ name }: { name: string }) => name).slice(0, 4)).toEqual([
      'orders.total',
      'pay',
      'score',
      'factor',
    ]);
    expect(tools[0]).toMatchObject({
      description: 'The total of an order.',
      kind: 'trusted',
      needsApproval: false,
      idempotent: true,
      inputSchema: { properties: { since: { 'x-javascript-type': 'Date' } } },
    });
    expect(tools[1].needsApproval).toBe('depends');
    expect(tools[2].kind).toBe('untrusted');
  });

  test.each([
    ['is not there', 'nowhere.ts', undefined, /Cannot find module/],
    ['exports no registry', 'empty.ts', 'export default {};', /exports no ToolRegistry/],
    ['throws', 'throws.ts', 'throw new Error("no database");', /no database/],
  ])('a module that %s is misuse', async (_what, name, text, message) => {
    const file = path.join(folder, name);
    if (text !== undefined) await writeFile(file, text);
    const { code, stdout, stderr } = await runScript(CLI, ['tools', file]);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
  });
});

describe('glovebox call', () => {
  test('prints the value as JSON, with tags for what JSON lacks', async () => {
    const { code, stdout, stderr } = await call('orders.total', ['--args', '{ "id": 7 }']);
    expect(JSON.parse(stdout)).toEqual({
      total: 70,
      at: { __type__: 'datetime', data: '1970-01-01T00:00:00.000+00:00' },
    });
    expect([code, stderr]).toEqual([0, '']);
  });

  test('reads arguments from standard input, as safe: text too', async () => {
    const since = '{"__type__":"datetime","data":"2026-01-01T00:00:00+00:00"}';
    const { stdout } = await call(
      'orders.total',
      ['--args', '-'],
      `safe:{"id":1,"since":${since}}\n`,
    );
    expect(JSON.parse(stdout)).toMatchObject({ at: { data: '2026-01-01T00:00:00.000+00:00' } });
  });

  test('runs a tool that is source in the box, and those that it uses', async () => {
    const { code, stdout, stderr } = await call('score', ['--args', '{ "list": [1, 2, 3] }']);
    expect([code, stdout, stderr]).toEqual([0, '6\n', 'items: 3\n']);
  });

  test('prints the whole result as JSON', async () => {
    const good = await call('score', ['--args', '{ "list": [] }', '--json']);
    expect(JSON.parse(good.stdout)).toMatchObject({
      ok: true,
      value: 0,
      attempts: 1,
      logs: [{ text: 'items: 0' }],
    });
    const bad = await call('fail', ['--json']);
    expect(JSON.parse(bad.stdout)).toMatchObject({
      ok: false,
      error: {
        kind: 'internal',
        name: 'RangeError',
        toolCode: 'E_RANGE',
        details: { most: { __type__: 'bigint', data: '1' } },
      },
    });
    expect([good.code, good.stderr, bad.code, bad.stderr]).toEqual([0, '', 1, '']);
  });

  test.each<[string, string, readonly string[], number, RegExp]>([
    ['a tool that fails', 'fail', [], 1, /^internal RangeError: too much \(code E_RANGE\)\n$/],
    ['a tool that is not there', 'none', [], 2, /^not_found There is no tool named "none"/],
    ['arguments that do not fit', 'orders.total', ['--args', '{"id":"7"}'], 2, /^schema .*\/id /],
    ['no arguments, where some are needed', 'score', [], 2, /^schema .*\/list /],
    ['arguments that are no JSON', 'score', ['--args', '{id:7}'], 2, /neither JSON nor safe:/],
    ['a time without unit', 'fail', ['--timeout', '10'], 2, /needs a unit/],
    ['a tool that takes too long', 'wait', ['--timeout', '100ms'], 3, /^timeout .*100 ms/],
    ['a source that takes too long', 'loop', [], 3, /^timeout .*300 ms/],
    [
      'a call that nobody can approve',
      'pay',
      ['--args', '{"amount":100}'],
      1,
      /^denied .*use a terminal, or --yes\n$/,
    ],
  ])('tells %s by message and exit code', async (_what, tool, args, exit, message) => {
    const { code, stdout, stderr } = await call(tool, args);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([exit, '']);
  });

  test('no module is misuse', async () => {
    const { code, stderr } = await runScript(CLI, ['call', 'pay']);
    expect(stderr).toContain("required option '--module <file>' not specified");
    expect(code).toBe(2);
  });

  test('--yes approves, and what needs no approval goes without', async () => {
    const approved = await call('pay', ['--args', '{"amount":100}', '--yes']);
    const small = await call('pay', ['--args', '{"amount":10}']);
    expect([approved.stdout, small.stdout]).toEqual(['"paid 100"\n', '"paid 10"\n']);
  });

  test('explains itself', async () => {
    for (const command of ['tools', 'call']) {
      const { code, stdout } = await runScript(CLI, [command, '--help']);
      expect(stdout).toContain(`Usage: glovebox ${command}`);
      expect(stdout).toContain('Examples:');
      expect(code).toBe(0);
    }
  });
});

/** Makes a terminal for a command, as util-linux has it. */
const SCRIPT = '/usr/bin/script';
const hasTerminals = process.platform === 'linux' && existsSync(SCRIPT);

/** Calls `pay` at a terminal, and answers each question as it comes. */
function callAtTerminal(answers: readonly [question: string, answer: string][]): Promise<Finished> {
  const command = [process.execPath, '--conditions=@glovebox/source', '--no-warnings', CLI];
  const args = ['call', 'pay', '--module', MODULE, '--args', `'{"amount":100}'`];
  const child = spawn(SCRIPT, ['-qec', [...command, ...args].join(' '), '/dev/null'], {
    cwd: path.join(import.meta.dirname, '../..'),
    env: { ...process.env, NO_COLOR: '1' },
  });
  let unread = '';
  const remaining = [...answers];
  child.stdout.on('data', (chunk: Buffer) => {
    unread += chunk.toString();
    const [next] = remaining;
    if (next === undefined || !unread.includes(next[0])) return;
    unread = '';
    remaining.shift();
    child.stdin.write(next[1]);
  });
  return finish(child);
}

describe.skipIf(!hasTerminals)('glovebox call at a terminal', () => {
  test.each<[string, [string, string][], number, string]>([
    ['yes', [['(e)dit:', 'y\n']], 0, '"paid 100"'],
    [
      'no, and why',
      [
        ['(e)dit:', 'n\n'],
        ['Why not?', 'too much\n'],
      ],
      1,
      'was denied: too much',
    ],
    [
      'no',
      [
        ['(e)dit:', 'no\n'],
        ['Why not?', '\n'],
      ],
      1,
      'pay was denied.',
    ],
    [
      'other arguments',
      [
        ['(e)dit:', 'e\n'],
        ['New arguments', '{"amount":20}\n'],
      ],
      0,
      '"paid 20"',
    ],
    [
      'other arguments that do not fit',
      [
        ['(e)dit:', 'e\n'],
        ['New arguments', '{"amount":2000}\n'],
      ],
      2,
      'as edited do not fit its schema: /amount',
    ],
    [
      'what is no JSON, then yes',
      [
        ['(e)dit:', 'e\n'],
        ['New arguments', '{amount}\n'],
        ['(e)dit:', 'yes\n'],
      ],
      0,
      '"paid 100"',
    ],
    [
      'what is no answer, then yes',
      [
        ['(e)dit:', 'what\n'],
        ['(e)dit:', 'y\n'],
      ],
      0,
      '"paid 100"',
    ],
    ['the end of input', [['(e)dit:', '\u0004']], 1, 'the terminal was closed'],
    ['Ctrl-C', [['(e)dit:', '\u0003']], 130, 'aborted'],
  ])('takes %s for an answer', async (_what, answers, exit, expected) => {
    const { code, stdout } = await callAtTerminal(answers);
    expect(stdout).toContain(
      'pay needs approval.\r\nPays an amount.\r\nArguments: { amount: 100 }',
    );
    expect(stdout).toContain(expected);
    expect(code).toBe(exit);
  });
});
