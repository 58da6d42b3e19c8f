import { describe, expect, test, vi } from 'vitest';

import { CircuitBreaker } from '../src/dispatch/circuit-breaker.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** A circuit with so many failures behind it, each of an attempt of its own. */
function circuitAfter(failures: number): CircuitBreaker {
  const circuit = new CircuitBreaker({ failures: 3, coolDownMs: 1000 });
  for (let failure = 0; failure < failures; failure++) {
    circuit.enter();
    circuit.onFailure();
  }
  return circuit;
}

/** A circuit that has let one attempt through after its cool-down. */
function halfOpen(): CircuitBreaker {
  const circuit = circuitAfter(3);
  vi.advanceTimersByTime(1000);
  expect(circuit.enter()).toBe(true);
  return circuit;
}

/** Who gets through of so many who try now; none of them ends. */
function entering(circuit: CircuitBreaker, count: number): boolean[] {
  return Array.from({ length: count }, () => circuit.enter());
}

describe('a closed circuit', () => {
  test.each([0, 1, 2])('lets everybody through after %d of 3 failures', (failures) => {
    const circuit = circuitAfter(failures);
    expect(circuit.isOpen).toBe(false);
    expect(entering(circuit, 3)).toEqual([true, true, true]);
  });

  test('counts failures one after the other: a success begins the count anew', () => {
    const circuit = circuitAfter(2);
    circuit.onSuccess();
    circuit.onFailure();
    circuit.onFailure();
    expect(circuit.isOpen).toBe(false);
    circuit.onFailure();
    expect(circuit.isOpen).toBe(true);
  });

  test('does not count an attempt that was given up, either way', () => {
    const circuit = circuitAfter(2);
    circuit.onAborted();
    expect(circuit.isOpen).toBe(false);
    circuit.onFailure();
    expect(circuit.isOpen).toBe(true);
  });
});

describe('an open circuit', () => {
  test('lets nobody through until the cool-down is over', () => {
    const circuit = circuitAfter(3);
    expect([circuit.isOpen, circuit.enter()]).toEqual([true, false]);
    vi.advanceTimersByTime(999);
    expect([circuit.isOpen, circuit.enter()]).toEqual([true, false]);
    vi.advanceTimersByTime(1);
    expect([circuit.isOpen, circuit.enter()]).toEqual([false, true]);
  });

  test('cools down anew from each failure of attempts that were under way', () => {
    const circuit = circuitAfter(3);
    vi.advanceTimersByTime(600);
    circuit.onFailure();
    vi.advanceTimersByTime(999);
    expect(circuit.enter()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(circuit.enter()).toBe(true);
  });

  test('does not let anybody through by being looked at', () => {
    const circuit = circuitAfter(3);
    vi.advanceTimersByTime(1000);
    expect([circuit.isOpen, circuit.isOpen, circuit.enter()]).toEqual([false, false, true]);
  });
});

describe('a half-open circuit', () => {
  test('lets one attempt through, and nobody else while that is under way', () => {
    const circuit = halfOpen();
    expect([circuit.isOpen, ...entering(circuit, 2)]).toEqual([true, false, false]);
    vi.advanceTimersByTime(60_000);
    expect([circuit.isOpen, ...entering(circuit, 2)]).toEqual([true, false, false]);
  });

  test('closes when that goes well, and counts from nothing', () => {
    const circuit = halfOpen();
    circuit.onSuccess();
    expect([circuit.isOpen, ...entering(circuit, 3)]).toEqual([false, true, true, true]);
    circuit.onFailure();
    circuit.onFailure();
    expect(circuit.isOpen).toBe(false);
  });

  test('opens for a whole cool-down when that fails once', () => {
    const circuit = halfOpen();
    vi.advanceTimersByTime(500);
    circuit.onFailure();
    vi.advanceTimersByTime(999);
    expect(circuit.enter()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(entering(circuit, 2)).toEqual([true, false]);
  });

  test('lets another one through when that is given up', () => {
    const circuit = halfOpen();
    circuit.onAborted();
    expect(entering(circuit, 2)).toEqual([true, false]);
  });
});
