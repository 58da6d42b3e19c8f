import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/safe.ts'],
  fixedExtension: false,
  dts: true,
});
