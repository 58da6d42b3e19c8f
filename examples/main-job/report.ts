import { inspect, styleText } from 'node:util';

import type { Outcome } from '@glovebox/core';

const stream = process.stdout;
const width = 26;

/** Prints one outcome: title, result or error, logs, and usage. */
export function report(title: string, outcome: Outcome, hostMs: number): void {
  const mark = outcome.ok
    ? styleText('green', 'value', { stream })
    : styleText('red', outcome.error.code, { stream });
  stream.write(`\n${styleText('bold', title.padEnd(width), { stream })} ${mark}\n`);
  const body = outcome.ok ? describe(outcome.value) : outcome.error.message;
  for (const line of body.split('\n')) stream.write(`  ${line}\n`);
  for (const { text } of outcome.logs)
    stream.write(styleText('dim', `  log: ${text}\n`, { stream }));
  const { cpuMs, heapBytes, toolCalls, hostId } = outcome.usage;
  const cost = [
    `${hostMs.toFixed(1)} ms`,
    ...(cpuMs > 0 ? [`${cpuMs.toFixed(1)} ms of CPU`] : []),
    ...(heapBytes > 0 ? [`${(heapBytes / 2 ** 20).toFixed(1)} MiB of heap`] : []),
    ...(toolCalls > 0 ? [`${toolCalls} tool calls`] : []),
    hostId,
  ];
  stream.write(styleText('dim', `  ${cost.join(', ')}\n`, { stream }));
}

function describe(value: unknown): string {
  return inspect(value, {
    depth: 3,
    maxArrayLength: 4,
    breakLength: 90,
    colors: stream.isTTY && stream.hasColors(),
  });
}

export function heading(text: string): void {
  stream.write(`${text}\n`);
}
