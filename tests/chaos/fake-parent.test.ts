import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { encodeFrame, HOST_PIPE, launchHost, slotPipe } from '@glovebox/worker';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const SETTINGS = {
  slots: 1,
  reportMemoryMs: 0,
  slot: { memoryMb: 32, features: [], prepared: 1, session: false },
};

const LIMITS = {
  wallMs: 200,
  cpuMs: 200,
  memoryMb: 32,
  variablesBytes: 1000,
  resultBytes: 1000,
  logBytes: 1000,
  toolCalls: 5,
  toolCallsInFlight: 2,
  toolArgBytes: 1000,
  toolResultBytes: 1000,
};

const job = (code: string): object => ({
  code,
  filename: 'guest.js',
  language: 'auto',
  tools: ['tool'],
  limits: LIMITS,
  deterministic: null,
});

const frame = fc.oneof(
  fc.constantFrom(
    encodeFrame({ type: 'run', run: 1, job: job('return 1') }, 'safe:{}'),
    encodeFrame({ type: 'run', run: 2, job: job('for (;;);') }, 'safe:{}'),
    encodeFrame({ type: 'run', run: 3, job: job('await tool()') }, 'not safe'),
    encodeFrame({ type: 'reply', run: 1, callId: 1, ok: true }, 'safe:1'),
    encodeFrame({ type: 'reply', run: 9, callId: -1, ok: false }, '{'),
    encodeFrame({ type: 'stop', run: 1 }),
    encodeFrame({ type: 'stop', run: 2 }),
    encodeFrame({ type: 'nothing' }),
    encodeFrame([]),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

test('a host outlives its parent under no circumstances, whatever it was sent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(frame, { maxLength: 12 }),
      fc.nat({ max: 60 }),
      async (frames, wait) => {
        const host = launchHost(SETTINGS);
        const exited = once(host, 'exit');
        const pipes = [HOST_PIPE, slotPipe(0)].map((fd) => host.stdio[fd] as Socket);
        for (const pipe of pipes) {
          pipe.on('error', () => undefined);
          pipe.on('data', () => undefined);
        }
        for (const bytes of frames) pipes[1]?.write(bytes);
        await delay(wait);
        for (const pipe of pipes) pipe.destroy();
        const [code, signal] = await Promise.race([exited, delay(3000, ['alive', null])]);
        expect([code, signal]).toEqual([null, 'SIGKILL']);
      },
    ),
    { numRuns: 25, seed: 4 },
  );
});
