/** Starts a NATS server and two workers on this machine, until Ctrl-C. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const URL_OF_SERVER = 'nats://127.0.0.1:4222';
const COMMAND = fileURLToPath(new URL('../../packages/core/src/cli/bin.ts', import.meta.url));

function start(program: string, flags: readonly string[]): ChildProcess {
  const child = spawn(program, flags, { stdio: 'inherit' });
  child.on('error', ({ message }) => {
    process.stderr.write(`${program}: ${message}; on Debian, install the package nats-server\n`);
    process.exitCode = 1;
  });
  return child;
}

const children = [start('nats-server', ['-a', '127.0.0.1', '-js'])];
for (const name of ['w1', 'w2']) {
  const flags = ['worker', '--nats', URL_OF_SERVER, '--name', name, '--slots', '1'];
  children.push(start(process.execPath, [...process.execArgv, COMMAND, ...flags]));
}
// A terminal sends Ctrl-C to all processes; a service manager sends SIGTERM only to this one.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => {
  for (const child of children.toReversed()) child.kill();
});
