import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['src/index.ts', 'src/slot.ts', 'src/host/main.ts'],
  fixedExtension: false,
  dts: true,
});
