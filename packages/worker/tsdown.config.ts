import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', host: 'src/host/host-main.ts', slot: 'src/slot/slot-main.ts' },
  exports: { devExports: '@glovebox/source' },
  // The protocol's schemas are for the other side: nothing here names zod, not even its types.
  deps: { neverBundle: ['zod'] },
  treeshake: { moduleSideEffects: [{ external: true, sideEffects: false }] },
  fixedExtension: false,
  dts: true,
});
