import { expect, test } from 'vitest';

import { describeEachPool, valueOf } from '../support/pools.ts';

describeEachPool('deterministic runs', (executor) => {
  const now = new Date('2030-05-06T07:08:09.010Z');

  test('every clock of the guest stands still', async () => {
    const code = `
      const start = [Date.now(), +new Date(), performance.now(), performance.timeOrigin];
      await new Promise((resolve) => setTimeout(resolve, 20));
      const later = [Date.now(), +new Date(), performance.now(), performance.timeOrigin];
      return {
        start,
        same: JSON.stringify(start) === JSON.stringify(later),
        text: Date(),
        isDate: new Date() instanceof Date && new Date().constructor === Date,
        given: new Date(2020, 1, 3, 4).getTime() === new Date('2020-02-03T04:00:00').getTime(),
        subclass: new (class extends Date {})().getTime(),
        formatted: new Intl.DateTimeFormat('en', { year: 'numeric' }).format(),
        parts: new Intl.DateTimeFormat('en', { year: 'numeric' }).formatToParts()[0].value,
        temporal: typeof Temporal === 'undefined' ? 'undefined' : typeof Temporal.Now,
      }`;
    const time = now.getTime();
    const outcome = await executor().run({ code, deterministic: { now, seed: 1 } });
    expect(valueOf(outcome)).toEqual({
      start: [time, time, 0, time],
      same: true,
      text: 'Mon May 06 2030 07:08:09 GMT+0000 (Coordinated Universal Time)',
      isDate: true,
      given: true,
      subclass: time,
      formatted: '2030',
      parts: '2030',
      temporal: 'undefined',
    });
  });

  test('the same seed gives the same numbers, another one others', async () => {
    const code = 'return Array.from({ length: 5 }, Math.random)';
    const draw = async (seed: number): Promise<number[]> =>
      valueOf(await executor().run<number[]>({ code, deterministic: { now, seed } }));
    const first = await draw(7);
    expect(await draw(7)).toEqual(first);
    expect(await draw(8)).not.toEqual(first);
    expect(first.every((n) => n >= 0 && n < 1)).toBe(true);
    expect(new Set(first).size).toBe(5);
  });

  test('other runs have the real ones', async () => {
    const code = 'return [Date.now(), Math.random(), Math.random()]';
    const [time = 0, a, b] = valueOf(await executor().run<number[]>({ code }));
    expect(Math.abs(time - Date.now())).toBeLessThan(10_000);
    expect(a).not.toBe(b);
  });
});
