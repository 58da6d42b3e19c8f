import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', host: 'src/host/host-main.ts', slot: 'src/slot/slot-main.ts' },
  fixedExtension: false,
  dts: true,
});
