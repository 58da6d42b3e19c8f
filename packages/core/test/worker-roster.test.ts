import { describe, expect, test, vi } from 'vitest';

import { WorkerRoster } from '../src/nats/executor-side/worker-roster.ts';
import { NATS_PROTOCOL } from '../src/nats/wire/nats-messages.ts';
import type { Hello } from '../src/nats/wire/nats-messages.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** How long a worker may be silent, and how often the roster checks, in milliseconds. */
const LOST_AFTER_MS = 6000;
const CHECK_MS = 500;

function helloOf(worker: string, more: Partial<Hello> = {}): Hello {
  return {
    protocol: NATS_PROTOCOL,
    worker,
    since: 1,
    version: '1.0.0',
    node: 'v26.0.0',
    slots: 2,
    busy: 0,
    sessions: 0,
    maxSessions: 16,
    draining: false,
    ...more,
  };
}

/** A roster, the workers that it reported as lost, and the state of its connection. */
function setUp() {
  const lost: string[] = [];
  const connection = { isUp: true };
  const roster = new WorkerRoster(
    (worker) => lost.push(worker),
    () => connection.isUp,
  );
  return { roster, lost, connection };
}

describe('a worker that sends heartbeats', () => {
  test('is available, with the data of its last heartbeat', () => {
    const { roster, lost } = setUp();
    expect([roster.has('w1'), roster.available]).toEqual([false, []]);
    roster.record(helloOf('w1'));
    roster.record(helloOf('w2'));
    roster.record(helloOf('w1', { busy: 2, sessions: 3 }));
    expect(roster.has('w1')).toBe(true);
    expect(roster.available).toEqual([helloOf('w1', { busy: 2, sessions: 3 }), helloOf('w2')]);
    expect([lost, roster.lost]).toEqual([[], 0]);
  });

  test('stays in the roster', () => {
    const { roster, lost } = setUp();
    for (let hello = 0; hello < 20; hello++) {
      roster.record(helloOf('w1'));
      vi.advanceTimersByTime(LOST_AFTER_MS);
    }
    expect([lost, roster.has('w1')]).toEqual([[], true]);
  });
});

describe('a silent worker', () => {
  test('is lost after more than six seconds', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(LOST_AFTER_MS);
    expect([lost, roster.has('w1'), roster.available.length]).toEqual([[], true, 1]);
    vi.advanceTimersByTime(CHECK_MS);
    expect([lost, roster.has('w1'), roster.available.length]).toEqual([['w1'], false, 0]);
    expect(roster.lost).toBe(1);
  });

  test('is reported once', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(10 * LOST_AFTER_MS);
    expect([lost, roster.lost]).toEqual([['w1'], 1]);
  });

  test('is removed before it is reported', () => {
    const availableThen: string[] = [];
    const roster: WorkerRoster = new WorkerRoster(
      () => availableThen.push(...roster.available.map(({ worker }) => worker)),
      () => true,
    );
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(LOST_AFTER_MS);
    roster.record(helloOf('w2'));
    vi.advanceTimersByTime(CHECK_MS);
    expect(availableThen).toEqual(['w2']);
  });

  test('does not affect the others', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(1000);
    roster.record(helloOf('w2'));
    vi.advanceTimersByTime(LOST_AFTER_MS - 500);
    expect([lost, roster.available.map(({ worker }) => worker)]).toEqual([['w1'], ['w2']]);
  });

  test('is added again by its next heartbeat', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(2 * LOST_AFTER_MS);
    roster.record(helloOf('w1'));
    expect([lost, roster.available.length, roster.lost]).toEqual([['w1'], 1, 1]);
  });
});

describe('a worker that was restarted under its name', () => {
  test('is available, and its old process is reported as lost', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { since: 1 }));
    roster.record(helloOf('w1', { since: 2 }));
    expect([lost, roster.lost]).toEqual([['w1'], 1]);
    expect(roster.available).toEqual([helloOf('w1', { since: 2 })]);
    // The next heartbeat is from the same process.
    roster.record(helloOf('w1', { since: 2 }));
    expect(lost).toEqual(['w1']);
  });

  test('after it drained is not counted as lost', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { since: 1, draining: true }));
    roster.record(helloOf('w1', { since: 2 }));
    expect([lost, roster.lost, roster.available.length]).toEqual([['w1'], 0, 1]);
  });
});

describe('a draining worker', () => {
  test('is known, but not available', () => {
    const { roster } = setUp();
    roster.record(helloOf('w1'));
    roster.record(helloOf('w1', { draining: true }));
    expect([roster.has('w1'), roster.available]).toEqual([true, []]);
  });

  test('that becomes silent is reported, but not counted as lost', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { draining: true }));
    vi.advanceTimersByTime(LOST_AFTER_MS + CHECK_MS);
    expect([lost, roster.lost, roster.has('w1')]).toEqual([['w1'], 0, false]);
  });
});

describe('a worker with another protocol version', () => {
  test.each([NATS_PROTOCOL - 1, NATS_PROTOCOL + 1])(
    'is refused, and known as such: %d',
    (protocol) => {
      const { roster, lost } = setUp();
      const stranger = helloOf('w1', { protocol });
      roster.record(stranger);
      expect([roster.has('w1'), roster.available, roster.incompatible]).toEqual([
        false,
        [],
        stranger,
      ]);
      vi.advanceTimersByTime(2 * LOST_AFTER_MS);
      expect([lost, roster.lost]).toEqual([[], 0]);
    },
  );

  test('does not replace a worker of the same name, or renew its time', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    for (let checks = 0; checks * CHECK_MS < LOST_AFTER_MS; checks++) {
      vi.advanceTimersByTime(CHECK_MS);
      roster.record(helloOf('w1', { protocol: NATS_PROTOCOL + 1, since: 2 }));
    }
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(CHECK_MS);
    expect(lost).toEqual(['w1']);
  });
});

describe('during an outage of the connection', () => {
  test('no worker is lost; afterwards each has the whole time again', () => {
    const { roster, lost, connection } = setUp();
    roster.record(helloOf('w1'));
    connection.isUp = false;
    vi.advanceTimersByTime(60_000);
    expect([lost, roster.has('w1')]).toEqual([[], true]);
    connection.isUp = true;
    roster.resetSilence();
    vi.advanceTimersByTime(LOST_AFTER_MS);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(CHECK_MS);
    expect(lost).toEqual(['w1']);
  });
});

test('a closed roster does not check any more', () => {
  const { roster, lost } = setUp();
  roster.record(helloOf('w1'));
  roster.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(lost).toEqual([]);
});
