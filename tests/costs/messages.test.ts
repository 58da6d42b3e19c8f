import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';

import { Executor } from '@glovebox/core';
import type { ExecutorOptions, RunOptions } from '@glovebox/core';
import { FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import { HOST_PIPE, slotPipe } from '@glovebox/protocol/pipes';
import { expect, test } from 'vitest';

/** What passes on the pipes of a host. Counts, unlike seconds, are the same on every machine. */
interface Traffic {
  readonly sent: Frame[];
  readonly received: Frame[];
  bytesSent: number;
  bytesReceived: number;
}

function observe(): { traffic: Traffic; options: Pick<ExecutorOptions, 'spawn'> } {
  const traffic: Traffic = { sent: [], received: [], bytesSent: 0, bytesReceived: 0 };
  return {
    traffic,
    options: {
      spawn(command, args, options) {
        const child = spawn(command, args, options);
        for (const fd of [HOST_PIPE, slotPipe(0)]) {
          const pipe = child.stdio[fd] as Socket;
          const [out, back] = [new FrameReader(2 ** 30), new FrameReader(2 ** 30)];
          pipe.on('data', (chunk: Buffer) => {
            traffic.bytesReceived += chunk.length;
            traffic.received.push(...back.push(chunk));
          });
          const write = pipe.write.bind(pipe);
          pipe.write = (chunk: Buffer) => {
            traffic.bytesSent += chunk.length;
            traffic.sent.push(...out.push(Buffer.from(chunk)));
            return write(chunk);
          };
        }
        return child;
      },
    },
  };
}

const typesOf = (frames: readonly Frame[]): string[] =>
  frames.map(({ header }) => (header as { type: string }).type).filter((type) => type !== 'memory');

/** Runs once in a host that is warm, and gives what passed meanwhile. */
async function trafficOf(run: RunOptions): Promise<Traffic> {
  const { traffic, options } = observe();
  await using executor = new Executor({ hosts: 1, spareHosts: 0, ...options });
  await executor.run({ code: 'return 0' });
  Object.assign(traffic, { bytesSent: 0, bytesReceived: 0 });
  traffic.sent.length = 0;
  traffic.received.length = 0;
  expect(await executor.run(run)).toMatchObject({ ok: true });
  return traffic;
}

const MIB = 2 ** 20;
const BLOB = 'x'.repeat(MIB);

test('a plain run is one small message there, and one back', async () => {
  const { sent, received, bytesSent, bytesReceived } = await trafficOf({ code: 'return 1 + 1' });
  expect(typesOf(sent)).toEqual(['run']);
  expect(typesOf(received)).toEqual(['end']);
  expect(bytesSent).toBeLessThan(500);
  // A host whose memory is seen through a wrapper also says, now and then, what it holds.
  expect(bytesReceived).toBeLessThan(300);
});

test('a tool call is one message each way, and a line of log is one', async () => {
  const { sent, received } = await trafficOf({
    code: 'console.log("a"); await tool(1); await tool(2); return 3',
    tools: { tool: (n: number) => n },
  });
  expect(typesOf(sent)).toEqual(['run', 'reply', 'reply']);
  expect(typesOf(received)).toEqual(['log', 'call', 'call', 'end']);
});

test('calls made at once need no further messages', async () => {
  const { sent, received } = await trafficOf({
    code: 'return Promise.all(Array.from({ length: 10 }, (_, n) => tool(n)))',
    tools: { tool: (n: number) => n },
  });
  expect(typesOf(sent)).toHaveLength(11);
  expect(typesOf(received)).toHaveLength(11);
});

test.each<[name: string, run: RunOptions, sent: number, received: number]>([
  ['a variable', { code: 'return 1', variables: { BLOB } }, MIB, 0],
  ['a result', { code: `return 'x'.repeat(${MIB})` }, 0, MIB],
  ['the result of a tool', { code: 'await blob(); return 1', tools: { blob: () => BLOB } }, MIB, 0],
  [
    'the argument of a tool',
    { code: `await eat('x'.repeat(${MIB} - 100)); return 1`, tools: { eat: () => 1 } },
    0,
    MIB - 100,
  ],
])('a mebibyte as %s crosses once, as it is', async (_name, run, sent, received) => {
  const { bytesSent, bytesReceived } = await trafficOf(run);
  expect(bytesSent).toBeGreaterThanOrEqual(sent);
  expect(bytesSent).toBeLessThan(sent + 1000);
  expect(bytesReceived).toBeGreaterThanOrEqual(received);
  expect(bytesReceived).toBeLessThan(received + 1000);
});
