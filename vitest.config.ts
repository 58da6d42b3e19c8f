import { configDefaults, defineConfig } from 'vitest/config';
import type { ViteUserConfig } from 'vitest/config';

import { UnitsFirst } from './scripts/test-order.ts';

/** What takes minutes by its nature: thousands of runs, clusters that elect, servers that restart. */
const ENDURANCE = ['tests/soak/**/*.test.ts', 'tests/nats/{chaos,cluster}.test.ts'];

/** The heart of it, in one pool: for the loop of edit and run. All of it is in `main` as well. */
const FAST = ['tests/{conformance,dispatch,docs,tools}/**/*.test.ts'];

// Every package resolves to its sources, in the test process and in the processes it forks.
const resolve = { conditions: ['@glovebox/source'] };

function project(name: string, test: NonNullable<ViteUserConfig['test']>): ViteUserConfig {
  return {
    test: {
      name,
      globalSetup: ['scripts/vitest-global-setup.ts'],
      execArgv: ['--conditions=@glovebox/source'],
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // What is polled for comes when it comes: only a test that would hang is given up.
      expect: { poll: { timeout: 20_000 } },
      ...test,
    },
    resolve,
    ssr: { resolve },
  };
}

export default defineConfig({
  test: {
    // Most tests wait for a process or for a limit. More files at once than this fight over two
    // cores, and limits come too late.
    maxWorkers: 2,
    sequence: { sequencer: UnitsFirst },
    projects: [
      project('main', {
        include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...ENDURANCE],
      }),
      project('endurance', { include: ENDURANCE }),
      project('fast', {
        include: ['packages/{core,protocol,worker}/test/**/*.test.ts', ...FAST],
        env: { GLOVEBOX_TEST_POOLS: 'process' },
      }),
    ],
  },
});
