import { DEFAULT_LIMITS, LIMIT_NAMES, LIMITS } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';
import { describe, expect, test } from 'vitest';

import { assignmentOf } from '../src/nats/executor-side/submissions.ts';
import { assignmentSchema, NATS_PROTOCOL } from '../src/nats/wire/nats-messages.ts';
import { remoteJob } from './support/remote-job.ts';

const WHAT_TO_DO = `
A job on the wire holds only the limits that differ from the defaults. If the defaults of an executor
and of a worker differ, they read different limits from the same job. The protocol number prevents
this: a worker refuses jobs with another number. After a change of a default:
 1. raise NATS_PROTOCOL in packages/core/src/nats/wire/nats-messages.ts;
 2. enter the new number and the new defaults in this test.
After a raise of NATS_PROTOCOL for another reason, only enter the new number.`;

test('NATS_PROTOCOL belongs to these default limits', () => {
  expect({ protocol: NATS_PROTOCOL, defaults: DEFAULT_LIMITS }, WHAT_TO_DO).toEqual({
    protocol: 4,
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

/** The limits of a job as the executor sends them, and as the worker reads them. */
function onTheWire(limits: Partial<Limits>) {
  const { assignment } = assignmentOf(remoteJob({ limits }).job, 'executor-1');
  const read = assignmentSchema.parse(JSON.parse(JSON.stringify(assignment)));
  return { sent: assignment.job.limits, read: read.job.limits, protocol: read.protocol };
}

describe('the limits of a job on the wire', () => {
  test('are omitted if they are the defaults; the worker adds them again', () => {
    expect(onTheWire({})).toEqual({ sent: {}, read: DEFAULT_LIMITS, protocol: NATS_PROTOCOL });
  });

  test.each(LIMIT_NAMES)('are sent if they differ from the default: %s', (name) => {
    const changed = { [name]: LIMITS[name].min };
    expect(onTheWire(changed)).toMatchObject({
      sent: changed,
      read: { ...DEFAULT_LIMITS, ...changed },
    });
    expect(Object.keys(onTheWire(changed).sent)).toEqual([name]);
  });
});
