import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: [
    'src/index.ts',
    'src/agent.ts',
    'src/json-rpc.ts',
    'src/mcp.ts',
    'src/nats.ts',
    'src/cli/bin.ts',
    'src/adapters/*.ts',
  ],
  fixedExtension: false,
  dts: true,
});
