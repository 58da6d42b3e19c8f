import { styleText } from 'node:util';

import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import { checkIsolatedVm } from '@glovebox/worker';
import { Command } from 'commander';

import { Executor } from '../../executor/executor.ts';
import { Host } from '../../pools/process/host.ts';
import type { HostFacts } from '../../pools/process/host.ts';
import { canWatchMemory } from '../../pools/process/memory-watch.ts';
import { EXIT } from '../shared/exit-codes.ts';

type Verdict = 'good' | 'weak' | 'bad';

interface Finding {
  readonly verdict: Verdict;
  readonly text: string;
}

const MARKS = {
  good: ['green', 'ok  '],
  weak: ['yellow', 'weak'],
  bad: ['red', 'FAIL'],
} as const;

const MIN_NODE = 24;

/** `glovebox doctor`: checks whether this machine can run guests, and reports each finding. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Check whether this machine can run guests, and how well it can isolate them.')
    .action(async () => {
      let failed = false;
      for await (const { verdict, text } of runChecks()) {
        const [color, mark] = MARKS[verdict];
        process.stdout.write(`${styleText(color, mark, { stream: process.stdout })}  ${text}\n`);
        failed ||= verdict === 'bad';
      }
      process.stdout.write(failed ? '\nGuests cannot run here.\n' : '\nGuests can run here.\n');
      process.exitCode = failed ? EXIT.sandboxFailed : EXIT.ok;
    });
}

async function* runChecks(): AsyncGenerator<Finding> {
  yield checkNode();
  try {
    yield {
      verdict: 'good',
      text: `isolated-vm ${checkIsolatedVm()} has no known takeover of its host.`,
    };
  } catch (error) {
    yield { verdict: 'bad', text: messageOf(error) };
    return;
  }
  let facts: HostFacts;
  try {
    facts = await startHost();
  } catch (error) {
    yield { verdict: 'bad', text: `A host process cannot start: ${messageOf(error)}` };
    return;
  }
  yield { verdict: 'good', text: `A host process starts, with Node ${facts.node.slice(1)}.` };
  yield* checkPermissions(facts);
  yield canWatchMemory()
    ? { verdict: 'good', text: 'The memory of hosts can be watched from outside (/proc).' }
    : {
        verdict: 'weak',
        text: 'The memory of hosts cannot be watched from outside: /proc is missing.',
      };
  yield await tryRun();
  const { wallMs, memoryMb, resultBytes } = DEFAULT_LIMITS;
  yield {
    verdict: 'good',
    text: `Default limits: ${wallMs / 1000} s, ${memoryMb} MiB of heap, results of ${resultBytes / 2 ** 20} MiB.`,
  };
}

function checkNode(): Finding {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major < MIN_NODE) {
    return {
      verdict: 'bad',
      text: `Node ${process.versions.node} is too old: ${MIN_NODE} or later is needed.`,
    };
  }
  if (major % 2 === 1) {
    return {
      verdict: 'weak',
      text: `Node ${process.versions.node} is not a long-term release: isolated-vm has no build for it.`,
    };
  }
  return { verdict: 'good', text: `Node ${process.versions.node}.` };
}

function* checkPermissions({ allowed }: HostFacts): Generator<Finding> {
  const files = allowed.filter((scope) => scope !== 'net');
  yield files.length === 0
    ? {
        verdict: 'good',
        text: 'Hosts cannot write files or start processes, and can read only their own files.',
      }
    : { verdict: 'weak', text: `Hosts still have these permissions: ${files.join(', ')}.` };
  yield allowed.includes('net')
    ? {
        verdict: 'weak',
        text: 'This Node version cannot deny hosts the network; Node 26 can. Guests never have a network.',
      }
    : { verdict: 'good', text: 'Hosts cannot use the network.' };
}

/** Starts one host, reads the facts that it reports, and ends it. */
async function startHost(): Promise<HostFacts> {
  const started = Promise.withResolvers<HostFacts>();
  const slot = { memoryMb: DEFAULT_LIMITS.memoryMb, features: [], prepared: 0, session: false };
  const host = new Host(
    'doctor',
    { slots: 1, slot, reportMemoryMs: 0 },
    {},
    {
      onReady: started.resolve,
      onFree: () => undefined,
      onMemory: () => undefined,
      onGone: ({ message, cause }) =>
        started.reject(new Error([message, messageOf(cause)].filter(Boolean).join(' '))),
    },
  );
  try {
    return await started.promise;
  } finally {
    host.kill('ABORTED', 'The check is finished.');
    await host.exited();
  }
}

async function tryRun(): Promise<Finding> {
  await using executor = new Executor({ hosts: 1, spareHosts: 0 });
  await executor.ready();
  const outcome = await executor.run({ code: 'return 6 * 7', limits: { wallMs: 5000 } });
  if (!outcome.ok) {
    return {
      verdict: 'bad',
      text: `A guest failed: ${outcome.error.code} ${outcome.error.message}`,
    };
  }
  return { verdict: 'good', text: `A guest ran, in ${outcome.usage.wallMs.toFixed(1)} ms.` };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : '';
}
