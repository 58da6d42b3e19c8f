import { expect, test } from 'vitest';

import { runScript } from '../support/script.ts';

test('threads can be closed at any moment, also while they load', async () => {
  const { code, signal, stdout, stderr } = await runScript('tests/fixtures/closes-thread-pools.ts');
  expect(stderr).toBe('');
  expect([code, signal, stdout]).toEqual([0, null, 'survived']);
});
