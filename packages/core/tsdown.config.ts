import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/cli/bin.ts'],
  fixedExtension: false,
  dts: true,
});
