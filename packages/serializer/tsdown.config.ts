import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/safe.ts', 'src/steps.ts'],
  exports: { devExports: '@glovebox/source' },
  fixedExtension: false,
  dts: true,
});
