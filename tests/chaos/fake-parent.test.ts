import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { encodeFrame } from '@glovebox/protocol/frame';
import { DEFAULT_LIMITS } from '@glovebox/protocol/limits';
import { HOST_PIPE, slotPipe } from '@glovebox/protocol/pipes';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { launchHost } from '../../packages/core/src/pools/process/launch-host.ts';

const SETTINGS = {
  slots: 1,
  reportMemoryMs: 0,
  slot: { memoryMb: 32, features: [], prepared: 1, session: false },
};

/** A host that is there so long after its parent's end does not mean to go. */
const ALIVE_MS = 20_000;

const LIMITS = { ...DEFAULT_LIMITS, wallMs: 200, cpuMs: 200, memoryMb: 32 };

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
    encodeFrame<object>({ type: 'run', run: 1, job: job('return 1') }, 'safe:{}'),
    encodeFrame<object>({ type: 'run', run: 2, job: job('for (;;);') }, 'safe:{}'),
    encodeFrame<object>({ type: 'run', run: 3, job: job('await tool()') }, 'not safe'),
    encodeFrame<object>({ type: 'reply', run: 1, callId: 1, ok: true }, 'safe:1'),
    encodeFrame<object>({ type: 'reply', run: 9, callId: -1, ok: false }, '{'),
    encodeFrame<object>({ type: 'stop', run: 1 }),
    encodeFrame<object>({ type: 'stop', run: 2 }),
    encodeFrame<object>({ type: 'nothing' }),
    encodeFrame<object>([]),
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
        const [code, signal] = await Promise.race([exited, delay(ALIVE_MS, ['alive', null])]);
        expect([code, signal]).toEqual([null, 'SIGKILL']);
      },
    ),
    { numRuns: 25, seed: 4 },
  );
});
