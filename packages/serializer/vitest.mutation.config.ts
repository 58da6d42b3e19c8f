import { defineConfig, mergeConfig } from 'vitest/config';

import base from './vitest.config.ts';

/** The tests that tell mutants: the quick ones. The others repeat them at length or elsewhere. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      exclude: ['**/{bombs,time,isolate,python,mutations,properties}.test.ts'],
    },
  }),
);
