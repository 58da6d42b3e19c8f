import { spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';

import { Executor, isGloveboxError } from '@glovebox/core';
import { expect, test } from 'vitest';

import { errorOf, valueOf } from '../support/pools.ts';

/** Starts hosts with further flags of Node. */
const withFlags =
  (...flags: string[]) =>
  (command: string, args: readonly string[], options: SpawnOptions): ChildProcess =>
    spawn(command, [...flags, ...args], options);

const without =
  (...flags: string[]) =>
  (command: string, args: readonly string[], options: SpawnOptions): ChildProcess =>
    spawn(
      command,
      args.filter((arg) => !flags.some((flag) => arg.startsWith(flag))),
      options,
    );

test.each([
  ['a flag that Node does not know', withFlags('--no-such-flag'), /bad option/],
  ['no permission to load isolated-vm', without('--allow-addons'), /ERR_DLOPEN_DISABLED|addon/],
  ['no permission to read', without('--allow-fs-read'), /ERR_ACCESS_DENIED/],
  ['no permission for threads', without('--allow-worker'), /--allow-worker/],
  [
    'a program that is not there',
    (_command: string, _args: readonly string[], options: SpawnOptions) =>
      spawn('/nowhere/node', [], options),
    /ENOENT/,
  ],
  [
    'a program that says nothing and ends',
    (_command: string, _args: readonly string[], options: SpawnOptions) =>
      spawn('/bin/true', [], options),
    /exited with code 0/,
  ],
])('hosts that cannot start make nobody wait: %s', async (_why, spawnHost, message) => {
  await using executor = new Executor({ hosts: 1, spareHosts: 0, spawn: spawnHost });
  const waiting = executor.run({ code: 'return 1' });
  const ready = await executor.ready().catch((error: unknown) => error);
  expect(isGloveboxError(ready) && ready.code).toBe('POOL_UNAVAILABLE');
  const outcome = await waiting;
  expect(errorOf(outcome)).toMatchObject({ code: 'HOST_LOST', ran: 'no', retryable: true });
  const { cause } = errorOf(outcome);
  const text = `${errorOf(outcome).message} ${cause instanceof Error ? cause.message : ''}`;
  expect(text).toMatch(message);
  expect(executor.stats().degraded).toContain('No host can be started');
  // Later runs are told at once.
  expect(errorOf(await executor.run({ code: 'return 1' })).code).toBe('HOST_LOST');
});

test('hosts can be started inside another program', async () => {
  const started: string[] = [];
  await using executor = new Executor({
    hosts: 1,
    spareHosts: 0,
    spawn: (command, args, options) => {
      started.push(command);
      return spawn('/usr/bin/nice', ['-n', '5', command, ...args], options);
    },
  });
  expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
  expect(started).toEqual([process.execPath]);
});
