import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    execArgv: ['--conditions=@glovebox/source'],
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
  resolve: { conditions: ['@glovebox/source'] },
  ssr: { resolve: { conditions: ['@glovebox/source'] } },
});
