import { DEFAULT_LIMITS, LIMIT_NAMES, LIMITS } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';
import { describe, expect, test } from 'vitest';

import { assignmentOf } from '../src/nats/executor-side/submissions.ts';
import { assignmentSchema, NATS_PROTOCOL } from '../src/nats/wire/nats-messages.ts';
import { remoteJob } from './support/remote-job.ts';

const WHAT_TO_DO = `
A job says on the wire only which of its limits are not the defaults, so that an executor and a
worker with other defaults would mean different limits by the same job. Only their protocol number
keeps them apart. Whoever changes a default:
 1. raises NATS_PROTOCOL in packages/core/src/nats/wire/nats-messages.ts;
 2. writes the new number and the new defaults into this test.
Never do the second without the first.`;

test('the protocol number stands for these defaults', () => {
  // oxlint-disable-next-line vitest/valid-expect -- whoever fails it has to know what to do
  expect({ protocol: NATS_PROTOCOL, defaults: DEFAULT_LIMITS }, WHAT_TO_DO).toEqual({
    protocol: 3,
    defaults: {
      wallMs: 30_000,
      cpuMs: 30_000,
      memoryMb: 128,
      sourceBytes: 262_144,
      variablesBytes: 16_777_216,
      resultBytes: 4_194_304,
      logBytes: 65_536,
      toolCalls: 256,
      toolCallsInFlight: 32,
      toolArgBytes: 1_048_576,
      toolResultBytes: 4_194_304,
    },
  });
});

/** The limits of a job as they are sent, and as its worker reads them. */
function onTheWire(limits: Partial<Limits>) {
  const { assignment } = assignmentOf(remoteJob({ limits }).job, 'executor-1');
  const read = assignmentSchema.parse(JSON.parse(JSON.stringify(assignment)));
  return { said: assignment.job.limits, read: read.job.limits, protocol: read.protocol };
}

describe('the limits of a job on the wire', () => {
  test('are left out where they are the defaults, which the worker puts back', () => {
    expect(onTheWire({})).toEqual({ said: {}, read: DEFAULT_LIMITS, protocol: NATS_PROTOCOL });
  });

  test.each(LIMIT_NAMES)('are said where they differ: %s', (name) => {
    const changed = { [name]: LIMITS[name].min };
    expect(onTheWire(changed)).toMatchObject({
      said: changed,
      read: { ...DEFAULT_LIMITS, ...changed },
    });
    expect(Object.keys(onTheWire(changed).said)).toEqual([name]);
  });
});
