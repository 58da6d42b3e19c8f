import { readFileSync } from 'node:fs';

import { round } from '../executor/statistics.ts';

/** Processor time that a run costs each party, in microseconds. */
export interface Costs {
  readonly executor: number;
  readonly server: number;
  readonly worker: number;
}

/** The processor time of a process so far, in microseconds, from Linux's `/proc`. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; the fields follow the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // User and system time, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const SLOTS = 4;
/** The heartbeats of a worker per second. */
const HELLO_RATE = 0.5;
/** The messages that the server handles per run, about: the cost of a message follows from it. */
const MESSAGES_PER_RUN = 6;

/**
 * Prints for several numbers of workers which party is the bottleneck. The model: a run holds its
 * slot for the time of its code plus the worker's cost of a run. The executor, a worker and the
 * server's stream each handle one run at a time, at the measured cost, minus the cost of heartbeats.
 * They share nothing else. The model ignores networks and disks.
 */
export function simulate(costs: Costs): void {
  const { executor, server, worker } = costs;
  process.stdout.write(
    `A model of more workers, with ${SLOTS} slots each, from what a run costs here: ` +
      `executor ${round(executor)} µs, server ${round(server)} µs, worker ${round(worker)} µs\n\n`,
  );
  for (const executors of [1, 10]) {
    for (const codeMs of [1, 100]) {
      for (const workers of [10, 100, 1000]) {
        // Every executor receives the heartbeats of every worker.
        const heartbeats = workers * HELLO_RATE * (1 + executors);
        const perMessage = server / MESSAGES_PER_RUN;
        const executorShare = 1 - (workers * HELLO_RATE * perMessage) / 1e6;
        const most = {
          slots: (workers * SLOTS * 1e6) / (codeMs * 1000 + worker),
          workers: (workers * 1e6) / worker,
          executors: (executors * 1e6 * executorShare) / executor,
          server: (1e6 - heartbeats * perMessage) / server,
        };
        const [first] = Object.entries(most).toSorted(([, a], [, b]) => a - b);
        process.stdout.write(
          `  ${String(workers).padStart(4)} workers, ${executors} executors, ${codeMs} ms of code: ` +
            `${round(first?.[1] ?? 0)} runs/s, bound by the ${first?.[0]}\n`,
        );
      }
    }
  }
}
