import { describe, expect, test, vi } from 'vitest';

import { CircuitBreaker } from '../src/dispatch/circuit-breaker.ts';
import { useFakeClock } from './support/fake-clock.ts';

useFakeClock();

/** A circuit after a number of consecutive failures. */
function circuitAfter(failures: number): CircuitBreaker {
  const circuit = new CircuitBreaker({ failures: 3, coolDownMs: 1000 });
  for (let failure = 0; failure < failures; failure++) {
    circuit.enter();
    circuit.onFailure();
  }
  return circuit;
}

/** A circuit whose probe is in progress. */
function halfOpen(): CircuitBreaker {
  const circuit = circuitAfter(3);
  vi.advanceTimersByTime(1000);
  expect(circuit.enter()).toBe(true);
  return circuit;
}

/** Which of a number of attempts are allowed now; none of them ends. */
function entering(circuit: CircuitBreaker, count: number): boolean[] {
  return Array.from({ length: count }, () => circuit.enter());
}

describe('a closed circuit', () => {
  test.each([0, 1, 2])('allows all attempts after %d of 3 failures', (failures) => {
    const circuit = circuitAfter(failures);
    expect(circuit.isOpen).toBe(false);
    expect(entering(circuit, 3)).toEqual([true, true, true]);
  });

  test('counts consecutive failures: a success resets the count', () => {
    const circuit = circuitAfter(2);
    circuit.onSuccess();
    circuit.onFailure();
    circuit.onFailure();
    expect(circuit.isOpen).toBe(false);
    circuit.onFailure();
    expect(circuit.isOpen).toBe(true);
  });

  test('counts an aborted attempt neither as a failure nor as a success', () => {
    const circuit = circuitAfter(2);
    circuit.onAborted();
    expect(circuit.isOpen).toBe(false);
    circuit.onFailure();
    expect(circuit.isOpen).toBe(true);
  });
});

describe('an open circuit', () => {
  test('refuses all attempts until the cool-down is over', () => {
    const circuit = circuitAfter(3);
    expect([circuit.isOpen, circuit.enter()]).toEqual([true, false]);
    vi.advanceTimersByTime(999);
    expect([circuit.isOpen, circuit.enter()]).toEqual([true, false]);
    vi.advanceTimersByTime(1);
    expect([circuit.isOpen, circuit.enter()]).toEqual([false, true]);
  });

  test('restarts the cool-down when an attempt fails that started before it opened', () => {
    const circuit = circuitAfter(3);
    vi.advanceTimersByTime(600);
    circuit.onFailure();
    vi.advanceTimersByTime(999);
    expect(circuit.enter()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(circuit.enter()).toBe(true);
  });

  test('does not start a probe when isOpen is read', () => {
    const circuit = circuitAfter(3);
    vi.advanceTimersByTime(1000);
    expect([circuit.isOpen, circuit.isOpen, circuit.enter()]).toEqual([false, false, true]);
  });
});

describe('a half-open circuit', () => {
  test('allows one attempt as a probe, and refuses others while it is in progress', () => {
    const circuit = halfOpen();
    expect([circuit.isOpen, ...entering(circuit, 2)]).toEqual([true, false, false]);
    vi.advanceTimersByTime(60_000);
    expect([circuit.isOpen, ...entering(circuit, 2)]).toEqual([true, false, false]);
  });

  test('closes if the probe succeeds, and counts failures from zero', () => {
    const circuit = halfOpen();
    circuit.onSuccess();
    expect([circuit.isOpen, ...entering(circuit, 3)]).toEqual([false, true, true, true]);
    circuit.onFailure();
    circuit.onFailure();
    expect(circuit.isOpen).toBe(false);
  });

  test('opens for a whole cool-down if the probe fails', () => {
    const circuit = halfOpen();
    vi.advanceTimersByTime(500);
    circuit.onFailure();
    vi.advanceTimersByTime(999);
    expect(circuit.enter()).toBe(false);
    vi.advanceTimersByTime(1);
    expect(entering(circuit, 2)).toEqual([true, false]);
  });

  test('allows another probe if the probe is aborted', () => {
    const circuit = halfOpen();
    circuit.onAborted();
    expect(entering(circuit, 2)).toEqual([true, false]);
  });
});
