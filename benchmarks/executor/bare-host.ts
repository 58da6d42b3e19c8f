/**
 * A process that runs code in prepared isolates and does nothing else: no limits on data, no tools,
 * no logs, no exact values. What anybody could write by hand, and what the parts allow.
 */
import { Socket } from 'node:net';

import ivm from 'isolated-vm';

interface Ready {
  readonly isolate: ivm.Isolate;
  readonly context: ivm.Context;
}

function makeReady(): Ready {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  return { isolate, context: isolate.createContextSync() };
}

const pipe = new Socket({ fd: 3, readable: true, writable: true });
const ready: Ready[] = [makeReady(), makeReady()];

async function run(line: string): Promise<void> {
  // The benchmark wrote it.
  const { id, source } = JSON.parse(line) as { id: number; source: string };
  const { isolate, context } = ready.shift() ?? makeReady();
  const value: unknown = await context.eval(source, {
    promise: true,
    copy: true,
    timeout: 30_000,
  });
  pipe.write(`${JSON.stringify({ id, value })}\n`);
  setTimeout(() => {
    isolate.dispose();
    if (ready.length < 2) ready.push(makeReady());
  }, 1);
}

let rest = '';
pipe.on('data', (chunk: Buffer) => {
  const lines = (rest + chunk.toString()).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) void run(line);
});
pipe.on('close', () => process.kill(process.pid, 'SIGKILL'));
