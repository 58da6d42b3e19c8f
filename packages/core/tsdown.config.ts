import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/cli/main.ts'],
  fixedExtension: false,
  dts: true,
});
