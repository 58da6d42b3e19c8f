import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

import { Executor } from '@glovebox/core';
import { serveMcpHttp } from '@glovebox/core/mcp';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { registry } from '../fixtures/conformance-tools.ts';
import { finish } from '../support/script.ts';

/** The checks of the protocol's own people for what this server has. */
const SCENARIOS = [
  'server-initialize',
  'server-session-lifecycle',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'json-schema-2020-12',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
  'http-header-validation',
  'input-required-result-missing-input-response',
  'input-required-result-unsupported-methods',
  'input-required-result-ignore-extra-params',
  'input-required-result-validate-input',
];

const require = createRequire(import.meta.url);
const manifest = require.resolve('@modelcontextprotocol/conformance/package.json');
const PROGRAM = path.join(path.dirname(manifest), 'dist/index.js');

const executor = new Executor({ hosts: 1 });
let server: Awaited<ReturnType<typeof serveMcpHttp>>;
beforeAll(async () => {
  server = await serveMcpHttp({ executor, registry });
});
afterAll(async () => {
  await server.close();
  await executor.close();
});

test.each(SCENARIOS)('MCP conformance: %s', async (scenario) => {
  const args = [PROGRAM, 'server', '--url', server.url, '--scenario', scenario];
  const { code, stdout } = await finish(spawn(process.execPath, args));
  expect(stdout).toMatch(/Passed: (?<all>[1-9]\d*)\/\k<all>, 0 failed/);
  expect(code).toBe(0);
});
