import { readdirSync } from 'node:fs';
import { parse } from 'node:path';

import { defineConfig } from 'tsdown';

/** Each file at the root of `src` is an entry point of its own; `package.json` follows from them. */
const entries = readdirSync(new URL('src', import.meta.url))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [parse(file).name, `src/${file}`]);

export default defineConfig({
  entry: { ...Object.fromEntries(entries), 'cli/bin': 'src/cli/bin.ts' },
  exports: { devExports: '@glovebox/source', exclude: ['cli/bin'], bin: false },
  fixedExtension: false,
  dts: true,
});
