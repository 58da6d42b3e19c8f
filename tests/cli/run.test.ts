import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { finish, runScript, startScript } from '../support/script.ts';
import type { Finished } from '../support/script.ts';

const CLI = 'packages/core/src/cli/bin.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-cli-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const where = path.join(folder, name);
  await writeFile(where, text);
  return where;
}

const glovebox = (args: readonly string[], input = ''): Promise<Finished> =>
  runScript(CLI, args, input);

describe('glovebox run', () => {
  test('prints the value on stdout, logs on stderr', async () => {
    const guest = await file(
      'guest.ts',
      'const n: number = 6; console.log("working"); return n * by',
    );
    const { code, stdout, stderr } = await glovebox(['run', guest, '--var', 'by=7']);
    expect([code, stdout, stderr]).toEqual([0, '42\n', 'working\n']);
  });

  test('reads the program from standard input', async () => {
    const { code, stdout } = await glovebox(
      ['run', '-', '--var', 'name=Ada'],
      'return "Hello " + name',
    );
    expect([code, stdout]).toEqual([0, 'Hello Ada\n']);
  });

  test.each([
    ['JSON', '{"rows": [1, 2, 3]}', 'return rows.length', '3\n'],
    [
      'safe: text',
      'safe:{"when":{"__type__":"datetime","data":"1970-01-01T00:00:00+00:00"}}',
      'return when.getTime()',
      '0\n',
    ],
  ])('reads variables from a file of %s', async (_kind, text, program, expected) => {
    const variables = await file('variables.json', text);
    const { stdout, stderr } = await glovebox(['run', '-', '--vars', variables], program);
    expect([stdout, stderr]).toEqual([expected, '']);
  });

  test('prints the whole outcome as JSON', async () => {
    const program = 'console.log("a"); return { n: 1, m: new Map([[1, 2]]) }';
    const { code, stdout, stderr } = await glovebox(['run', '-', '--json'], program);
    const outcome = JSON.parse(stdout);
    expect(outcome).toMatchObject({
      ok: true,
      value: { n: 1, m: { __type__: expect.any(String) } },
    });
    expect(outcome.logs).toMatchObject([{ level: 'info', text: 'a' }]);
    expect(outcome.usage.hostId).toBe('host-1');
    expect([code, stderr]).toEqual([0, '']);
  });

  test.each([
    [
      'code that throws',
      'null.x',
      [],
      1,
      /^GUEST_ERROR TypeError: .* \(line 1, column 6\)\n {4}at stdin:1:6\n$/,
    ],
    [
      'code that does not compile',
      'let 1',
      [],
      1,
      /^SYNTAX_ERROR SyntaxError: .*\(line 1, column 5\)\n$/,
    ],
    ['a result that cannot cross', 'return () => 1', [], 1, /^UNSERIALIZABLE_RESULT /],
    ['a time limit', 'for (;;);', ['--timeout', '300ms'], 3, /^WALL_LIMIT .*300 ms/],
    [
      'a memory limit',
      'const a = []; for (;;) a.push([1])',
      ['--memory', '32mb'],
      3,
      /^MEMORY_LIMIT .*32 MiB/,
    ],
  ])('tells %s by message and exit code', async (_what, program, flags, exit, message) => {
    const { code, stdout, stderr } = await glovebox(['run', '-', ...flags], program);
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([exit, '']);
  });

  test.each([
    ['a file that is not there', ['run', 'nowhere.js'], /no such file/],
    ['a time without unit', ['run', '-', '--timeout', '10'], /needs a unit, as in 500ms/],
    ['too little memory', ['run', '-', '--memory', '1mb'], /limits\.memoryMb/],
    ['a variable without value', ['run', '-', '--var', 'x'], /write it as name=value/],
    ['a name that is none', ['run', '-', '--var', 'a-b=1'], /not a JavaScript identifier/],
    ['an unknown option', ['run', '-', '--fast'], /unknown option '--fast'/],
    ['no file', ['run'], /missing required argument/],
    ['an unknown command', ['walk'], /unknown command 'walk'/],
  ])('refuses %s as misuse', async (_what, args, message) => {
    const { code, stdout, stderr } = await glovebox(args, 'return 1');
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('Ctrl-C ends the run and its hosts', async () => {
    const child = startScript(CLI, ['run', '-']);
    child.stdin?.end('console.log("on"); for (;;);');
    const ended = finish(child);
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, 'on\nABORTED The run was aborted.\n']);
  });

  test('explains itself', async () => {
    for (const args of [['--help'], ['run', '--help'], ['doctor', '--help']]) {
      const { code, stdout } = await glovebox(args);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: glovebox');
    }
  });
});

test('glovebox doctor says that guests can run here', async () => {
  const { code, stdout } = await glovebox(['doctor']);
  expect(stdout).toContain('isolated-vm 7.0.1 has no known takeover of its host.');
  expect(stdout).toContain('Guests can run here.');
  expect(stdout).not.toContain('FAIL');
  expect(code).toBe(0);
});

describe('what is given to glovebox run', () => {
  test('runs a file that names its program in the first line, with positions as given', async () => {
    const guest = await file(
      'executable.js',
      '#!/usr/bin/env glovebox run\nthrow new Error("here")',
    );
    const { code, stderr } = await glovebox(['run', guest]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('Error: here (line 2, column 7)')]);
  });

  test.each(['__proto__', 'constructor'])('refuses a variable named %s', async (name) => {
    const { code, stderr } = await glovebox(['run', '-', '--var', `${name}=2`], 'return 1');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"${name}"`)]);
  });

  test('says that a full disk cannot be written, and nothing of its own files', async () => {
    const guest = await file('large.js', 'return "x".repeat(100_000)');
    const child = spawn(
      'sh',
      [
        '-c',
        `"$0" --conditions=@glovebox/source --no-warnings ${CLI} run "$1" > /dev/full`,
        process.execPath,
        guest,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const { code, stderr } = await finish(child);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^glovebox: The output cannot be written: ENOSPC[^\n]*\n$/),
    ]);
  });

  test('a time of nothing is misuse, in the words of the option', async () => {
    const { code, stderr } = await glovebox(['run', '-', '--timeout', '0s'], 'return 1');
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("option '--timeout <time>' argument '0s'"),
    ]);
  });
});
