/**
 * Runs many programs, one in ten of them hostile, and watches what the executor's own process and
 * its hosts hold: memory, file descriptors and child processes have to stay flat.
 */
import { readdirSync } from 'node:fs';

import { Executor } from '@glovebox/core';
import type { Outcome, OutcomeCode } from '@glovebox/core';

import { childrenOf } from '../support/processes.ts';

interface Program {
  readonly code: string;
  readonly expected: 'value' | OutcomeCode;
}

const GOOD: readonly Program[] = [
  { code: 'return n * 2', expected: 'value' },
  { code: 'return new Map([[n, new Date(n)]])', expected: 'value' },
  { code: 'const { length } = await list({ n }); return length', expected: 'value' },
  { code: 'console.log("run", n); return new Uint8Array(1000).fill(n)', expected: 'value' },
  { code: 'const text: string = "x".repeat(n % 5000); return text.length', expected: 'value' },
  { code: 'throw new RangeError(`no ${n}`)', expected: 'GUEST_ERROR' },
];

const HOSTILE: readonly Program[] = [
  { code: 'for (;;);', expected: 'WALL_LIMIT' },
  { code: 'await new Promise(() => {})', expected: 'WALL_LIMIT' },
  { code: 'const a = []; for (;;) a.push([1, 2, 3]);', expected: 'MEMORY_LIMIT' },
  { code: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i);', expected: 'MEMORY_LIMIT' },
  { code: 'for (;;) { try { await list({ n: 1 }) } catch {} }', expected: 'TOOL_CALL_LIMIT' },
  { code: 'return () => 1', expected: 'UNSERIALIZABLE_RESULT' },
  { code: 'return "x".repeat(10_000_000)', expected: 'RESULT_LIMIT' },
  { code: 'const f = () => f(); f()', expected: 'GUEST_ERROR' },
];

export interface SoakReport {
  readonly runs: number;
  /** Outcomes that were not what their program asks for. */
  readonly wrong: readonly string[];
  /** Resident bytes of this process after a third of the runs, and at the end. */
  readonly residentBefore: number;
  readonly residentAfter: number;
  /** Bytes of live objects at the same moments, where garbage can be collected first. */
  readonly heapBefore: number;
  readonly heapAfter: number;
  readonly descriptorsBefore: number;
  readonly descriptorsAfter: number;
  readonly hosts: number;
  readonly children: number;
  readonly hostsLost: number;
  readonly hostsRecycled: number;
  readonly seconds: number;
}

function resident(): number {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

function describe(outcome: Outcome): string {
  return outcome.ok ? 'value' : outcome.error.code;
}

/** @param onProgress Called about every hundredth of the way. */
export async function soak(
  runs: number,
  concurrency: number,
  onProgress: (done: number) => void = () => undefined,
): Promise<SoakReport> {
  const started = performance.now();
  await using executor = new Executor({
    hosts: 2,
    // The same few hostile programs come again and again, which is not what is looked at here.
    quarantine: false,
    limits: { wallMs: 250, memoryMb: 32, toolCalls: 50, resultBytes: 1024 * 1024 },
  });
  await executor.ready();
  const wrong: string[] = [];
  let next = 0;
  let residentBefore = 0;
  let heapBefore = 0;
  let descriptorsBefore = 0;
  const lane = async (): Promise<void> => {
    while (next < runs) {
      const n = next++;
      const programs = n % 10 === 9 ? HOSTILE : GOOD;
      const { code, expected } = programs[Math.floor(n / 10) % programs.length] ??
        GOOD[0] ?? { code: '', expected: 'value' };
      const outcome = await executor.run({
        code,
        variables: { n },
        tools: {
          list: ({ n: length }: { n: number }) => Array.from({ length: length % 100 }, () => 0),
        },
        // Only what has to run into the limit is hurried: the machine may be busy.
        ...(expected === 'WALL_LIMIT' ? {} : { limits: { wallMs: 20_000 } }),
      });
      if (describe(outcome) !== expected && wrong.length < 20) {
        const message = outcome.ok ? '' : outcome.error.message;
        wrong.push(`run ${n} (${code}): ${describe(outcome)} ${message}`);
      }
      if (n === Math.floor(runs / 3)) {
        residentBefore = resident();
        heapBefore = process.memoryUsage().heapUsed;
        descriptorsBefore = readdirSync('/proc/self/fd').length;
      }
      if (n % Math.ceil(runs / 100) === 0) onProgress(n);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { hosts, spareHosts, hostsLost, hostsRecycled } = executor.stats();
  return {
    runs,
    wrong,
    residentBefore,
    residentAfter: resident(),
    heapBefore,
    heapAfter: process.memoryUsage().heapUsed,
    descriptorsBefore,
    descriptorsAfter: readdirSync('/proc/self/fd').length,
    hosts: hosts + spareHosts,
    children: childrenOf(process.pid).length,
    hostsLost,
    hostsRecycled,
    seconds: (performance.now() - started) / 1000,
  };
}

if (import.meta.main) {
  const runs = Number(process.argv[2] ?? 20_000);
  const report = await soak(runs, 8, (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${runs}`);
  });
  process.stdout.write(`\n${JSON.stringify(report, null, 2)}\n`);
  process.exitCode = report.wrong.length === 0 ? 0 : 1;
}
