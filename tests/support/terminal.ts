import { spawn } from 'node:child_process';

import { expect } from 'vitest';

import { finish } from './script.ts';
import type { Finished } from './script.ts';

/** Runs a command as on a terminal, and answers it. */
export async function onTerminal(
  command: string,
  answers: readonly [when: string, answer: string][],
): Promise<Finished> {
  // Whatever the tests themselves are told about terminals.
  const { CI: _ci, NO_COLOR: _color, FORCE_COLOR: _force, ...inherited } = process.env;
  const env = { ...inherited, TERM: 'xterm-256color' };
  const child = spawn('script', ['-qefc', `stty rows 40 cols 120; ${command}`, '/dev/null'], {
    env,
  });
  const waiting = [...answers];
  let heard = '';
  child.stdout.on('data', (text: Buffer) => {
    heard += text.toString();
    const [next] = waiting;
    if (next === undefined || !heard.includes(next[0])) return;
    heard = '';
    waiting.shift();
    child.stdin.write(next[1]);
  });
  const result = await finish(child);
  expect(waiting).toEqual([]);
  return result;
}
