import { once } from 'node:events';

import { expect, test } from 'vitest';

import { isAlive, until } from '../support/processes.ts';
import { finish, runScript, startScript } from '../support/script.ts';

test('200 runs, then close: no child, handle or timer is left, and the script ends', async () => {
  const { code, stdout, stderr } = await runScript('tests/fixtures/many-runs-then-close.ts');
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({ sum: 19_900, children: 0, resources: [] });
  expect(code).toBe(0);
});

test('a script that forgets to close ends all the same', async () => {
  const { code, stdout } = await runScript('tests/fixtures/forgets-to-close.ts');
  expect([code, stdout]).toEqual([0, 'true']);
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'hosts die with a parent that gets %s',
  async (signal) => {
    const parent = startScript('tests/fixtures/runs-for-ever.ts');
    if (parent.stdout === null) throw new Error('no output');
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const hosts = JSON.parse(line.toString()) as number[];
    expect(hosts.length).toBeGreaterThanOrEqual(2);
    expect(hosts.filter(isAlive)).toEqual(hosts);
    parent.kill(signal);
    await finish(parent);
    await until(() => !hosts.some(isAlive));
  },
);
