import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { runScript } from '../support/script.ts';
import type { Finished } from '../support/script.ts';
import { onTerminal } from '../support/terminal.ts';

const CLI = 'packages/core/src/cli/bin.ts';

/** Sets the title, moves the cursor, writes to the clipboard, and turns text around. */
const CONTROL = '\u001B]0;title\u0007\u001B[2J\r\u001B]52;c;aGk=\u0007\u009B31m\u202E';

/** The colors of the command itself. */
const COLOR = new RegExp(String.raw`\u001B\[[\d;]*m`, 'g');

/** Where the line of progress begins, and is cleared. */
const CLEARED = new RegExp(String.raw`\r(?:\u001B\[K)?`, 'g');

/** What steers a terminal, apart from the colors of the command itself. */
function controlsIn(text: string): string[] {
  const rest = text.replaceAll(COLOR, '').replaceAll('\r\n', '\n');
  return rest.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu) ?? [];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-control-'));
  await writeFile(
    path.join(folder, 'tools.mjs'),
    `import { ToolRegistry } from '@glovebox/core';
    const text = ${JSON.stringify(CONTROL)};
    export const registry = new ToolRegistry();
    registry.register({ name: 'say', description: text, execute: () => ({ [text]: text }) });
    registry.register({ name: 'fail', execute: () => { throw Object.assign(new Error(text), { name: text, code: text }); } });
    registry.register({ name: 'ask', description: text, needsApproval: true, execute: () => 1 });
    registry.register({ name: 'source', source: 'console.log(text); throw new Error(text)' });`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

const PROGRAMS: readonly [what: string, code: string][] = [
  ['a line of log', 'console.log(text); console.error([text])'],
  ['a text', 'return text'],
  ['names and values', 'return { [text]: [text, new Map([[text, text]])] }'],
  [
    'an error as a value',
    'return Object.assign(new Error(text), { name: text, stack: text, cause: text })',
  ],
  [
    'an error that is thrown',
    'const error = new TypeError(text); error.name = text; error.code = text; throw error',
  ],
  [
    'a stack',
    'const error = new Error("x"); error.stack = "Error: x\\n    at " + text; throw error',
  ],
  ['a rejection', 'Promise.reject(new Error(text)); await 1; return 1'],
  ['a syntax error', 'return "\u001B[2J\u009B'],
];

const program = (code: string): string => `const text = ${JSON.stringify(CONTROL)}; ${code}`;

test.each(PROGRAMS)('glovebox run: %s steers no terminal', async (_what, code) => {
  const guest = path.join(folder, 'guest.js');
  await writeFile(guest, program(code));
  const { stdout } = await onTerminal(
    `${process.execPath} --conditions=@glovebox/source --no-warnings ${CLI} run ${guest}`,
    [],
  );
  expect(controlsIn(stdout.replaceAll(CLEARED, ''))).toEqual([]);
});

test.each(PROGRAMS)('glovebox run --json: %s steers no terminal', async (_what, code) => {
  const { stdout } = await runScript(CLI, ['run', '--json', '-'], program(code));
  expect(controlsIn(stdout)).toEqual([]);
  expect(JSON.parse(stdout)).toHaveProperty('ok');
});

test('a text that goes into a file or a pipe is exact', async () => {
  const { stdout } = await runScript(CLI, ['run', '-'], program('return text'));
  expect(stdout).toBe(`${CONTROL}\n`);
});

test('a value as JSON means the same', async () => {
  const { stdout } = await runScript(CLI, ['run', '--json', '-'], program('return text'));
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, value: CONTROL });
});

const call = (args: readonly string[]): Promise<Finished> =>
  runScript(CLI, ['call', '--module', path.join(folder, 'tools.mjs'), ...args]);

test.each(['say', 'fail', 'ask', 'source'])(
  'glovebox call: %s steers no terminal',
  async (tool) => {
    const { stdout, stderr } = await call([tool]);
    expect(controlsIn(stdout + stderr)).toEqual([]);
  },
);
