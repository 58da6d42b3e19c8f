import { describe, expect, test, vi } from 'vitest';

import { WorkerRoster } from '../src/nats/executor-side/worker-roster.ts';
import { NATS_PROTOCOL } from '../src/nats/wire/nats-messages.ts';
import type { Hello } from '../src/nats/wire/nats-messages.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** How long a worker may be silent, and how often the roster looks, in milliseconds. */
const LOST_AFTER_MS = 6000;
const LOOK_MS = 500;

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

/** A roster, whom it said to be lost, and the state of its connection. */
function setUp() {
  const lost: string[] = [];
  const connection = { isUp: true };
  const roster = new WorkerRoster(
    (worker) => lost.push(worker),
    () => connection.isUp,
  );
  return { roster, lost, connection };
}

describe('a worker that says hello', () => {
  test('is known and takes jobs, as it last said of itself', () => {
    const { roster, lost } = setUp();
    expect([roster.has('w1'), roster.available]).toEqual([false, []]);
    roster.record(helloOf('w1'));
    roster.record(helloOf('w2'));
    roster.record(helloOf('w1', { busy: 2, sessions: 3 }));
    expect(roster.has('w1')).toBe(true);
    expect(roster.available).toEqual([helloOf('w1', { busy: 2, sessions: 3 }), helloOf('w2')]);
    expect([lost, roster.lost]).toEqual([[], 0]);
  });

  test('again and again stays', () => {
    const { roster, lost } = setUp();
    for (let hello = 0; hello < 20; hello++) {
      roster.record(helloOf('w1'));
      vi.advanceTimersByTime(LOST_AFTER_MS);
    }
    expect([lost, roster.has('w1')]).toEqual([[], true]);
  });
});

describe('a worker that falls silent', () => {
  test('is lost once it was silent for longer than six seconds', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(LOST_AFTER_MS);
    expect([lost, roster.has('w1'), roster.available.length]).toEqual([[], true, 1]);
    vi.advanceTimersByTime(LOOK_MS);
    expect([lost, roster.has('w1'), roster.available.length]).toEqual([['w1'], false, 0]);
    expect(roster.lost).toBe(1);
  });

  test('is lost once', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(10 * LOST_AFTER_MS);
    expect([lost, roster.lost]).toEqual([['w1'], 1]);
  });

  test('is gone already when its loss is told', () => {
    const listeningThen: string[] = [];
    const roster: WorkerRoster = new WorkerRoster(
      () => listeningThen.push(...roster.available.map(({ worker }) => worker)),
      () => true,
    );
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(LOST_AFTER_MS);
    roster.record(helloOf('w2'));
    vi.advanceTimersByTime(LOOK_MS);
    expect(listeningThen).toEqual(['w2']);
  });

  test('takes nobody with it', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(1000);
    roster.record(helloOf('w2'));
    vi.advanceTimersByTime(LOST_AFTER_MS - 500);
    expect([lost, roster.available.map(({ worker }) => worker)]).toEqual([['w1'], ['w2']]);
  });

  test('and says hello later is back', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    vi.advanceTimersByTime(2 * LOST_AFTER_MS);
    roster.record(helloOf('w1'));
    expect([lost, roster.available.length, roster.lost]).toEqual([['w1'], 1, 1]);
  });
});

describe('a worker that was started anew under its name', () => {
  test('is there, and what the one before it had is lost', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { since: 1 }));
    roster.record(helloOf('w1', { since: 2 }));
    expect([lost, roster.lost]).toEqual([['w1'], 1]);
    expect(roster.available).toEqual([helloOf('w1', { since: 2 })]);
    // It is the same one from now on.
    roster.record(helloOf('w1', { since: 2 }));
    expect(lost).toEqual(['w1']);
  });

  test('after it had said that it would go, counts as none lost', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { since: 1, draining: true }));
    roster.record(helloOf('w1', { since: 2 }));
    expect([lost, roster.lost, roster.available.length]).toEqual([['w1'], 0, 1]);
  });
});

describe('a worker that drains', () => {
  test('is known, and takes no more jobs', () => {
    const { roster } = setUp();
    roster.record(helloOf('w1'));
    roster.record(helloOf('w1', { draining: true }));
    expect([roster.has('w1'), roster.available]).toEqual([true, []]);
  });

  test('and falls silent has gone in good order: it is told, and not counted', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1', { draining: true }));
    vi.advanceTimersByTime(LOST_AFTER_MS + LOOK_MS);
    expect([lost, roster.lost, roster.has('w1')]).toEqual([['w1'], 0, false]);
  });
});

describe('a worker that speaks another protocol', () => {
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

  test('under the name of one that is known leaves that one to its silence', () => {
    const { roster, lost } = setUp();
    roster.record(helloOf('w1'));
    for (let looks = 0; looks * LOOK_MS < LOST_AFTER_MS; looks++) {
      vi.advanceTimersByTime(LOOK_MS);
      roster.record(helloOf('w1', { protocol: NATS_PROTOCOL + 1, since: 2 }));
    }
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(LOOK_MS);
    expect(lost).toEqual(['w1']);
  });
});

describe('while nobody can be heard', () => {
  test('nobody is lost; then everybody has the whole time again', () => {
    const { roster, lost, connection } = setUp();
    roster.record(helloOf('w1'));
    connection.isUp = false;
    vi.advanceTimersByTime(60_000);
    expect([lost, roster.has('w1')]).toEqual([[], true]);
    connection.isUp = true;
    roster.resetSilence();
    vi.advanceTimersByTime(LOST_AFTER_MS);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(LOOK_MS);
    expect(lost).toEqual(['w1']);
  });
});

test('a roster that is closed looks no more', () => {
  const { roster, lost } = setUp();
  roster.record(helloOf('w1'));
  roster.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(60_000);
  expect(lost).toEqual([]);
});
