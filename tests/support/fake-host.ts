import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { ExecutorOptions } from '@glovebox/core';

const FAKE_HOST = fileURLToPath(new URL('../fixtures/fake-host.ts', import.meta.url));

/** Has an executor start fake hosts that do the named thing. */
export function fakeHosts(what: string): Pick<ExecutorOptions, 'spawn'> {
  return {
    spawn: (command, _args, options) =>
      spawn(
        command,
        ['--conditions=@glovebox/source', '--no-warnings', FAKE_HOST, what],
        // Modules of the workspace are resolved from there.
        { ...options, cwd: process.cwd() },
      ),
  };
}
