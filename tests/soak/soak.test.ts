import { expect, test } from 'vitest';

import { soak } from './soak.ts';

test('1 000 runs, one in ten hostile, end as they should and leave nothing behind', async () => {
  const report = await soak(1000, 8);
  expect(report.wrong).toEqual([]);
  expect(report.residentAfter).toBeLessThan(report.residentBefore * 1.2);
  // Hosts come and go: a few sockets more or less are theirs.
  expect(Math.abs(report.descriptorsAfter - report.descriptorsBefore)).toBeLessThan(12);
  expect(report.children).toBeLessThanOrEqual(4);
}, 180_000);
