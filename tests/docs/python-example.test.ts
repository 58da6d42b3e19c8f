import { spawn, spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { CLI } from '../support/mcp.ts';
import { finish } from '../support/script.ts';

const EXAMPLE = 'examples/python/glovebox.py';
const python = spawnSync('python3', ['--version'], { encoding: 'utf8' });

test('the example in Python runs as it stands', async ({ skip }) => {
  skip(python.status !== 0, 'There is no python3 on this machine.');
  const glovebox = [process.execPath, '--conditions=@glovebox/source', '--no-warnings', CLI];
  const child = spawn('python3', [EXAMPLE, ...glovebox], {
    cwd: new URL('../../', import.meta.url),
  });
  expect(await finish(child)).toEqual({
    code: 0,
    signal: null,
    stdout:
      'safe:[[{"city":"Lagos","celsius":31}],{"__type__":"tuple","data":[2,NaN]},18446744073709551617]\n' +
      'GUEST_ERROR: missing is not defined\n',
    stderr: '',
  });
});
