import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['scripts/vitest-global-setup.ts'],
    // Every package resolves to its sources, in the test process and in the processes it forks.
    execArgv: ['--conditions=@glovebox/source'],
    include: ['packages/*/test/**/*.test.ts', 'tests/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
  resolve: { conditions: ['@glovebox/source'] },
  ssr: { resolve: { conditions: ['@glovebox/source'] } },
});
