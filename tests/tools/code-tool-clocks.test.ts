import { setTimeout as delay } from 'node:timers/promises';

import { createCodeTool, Dispatcher, Executor, ToolRegistry } from '@glovebox/core';
import type { CodeToolResult } from '@glovebox/core';
import { expect, test } from 'vitest';

import { ampleWallMs } from '../support/calibration.ts';
import { valueOf } from '../support/pools.ts';

test('a code tool that is registered itself stops all clocks while a person is waited for', async () => {
  await using executor = new Executor({ hosts: 1 });
  const wallMs = await ampleWallMs(() => executor.run({ code: 'return 1' }));
  const registry = new ToolRegistry();
  registry.register({ name: 'pay', execute: () => 'paid', needsApproval: true });
  const inner = new Dispatcher({
    registry,
    executor,
    approve: () => delay(2 * wallMs, { decision: 'approve' } as const),
  });
  const { name, description, inputSchema, execute } = createCodeTool({
    registry,
    executor,
    dispatcher: inner,
    limits: { wallMs },
  });
  const withCode = new ToolRegistry();
  withCode.register({ name, description, inputSchema, execute });
  const outer = new Dispatcher({
    registry: withCode,
    executor,
    timeoutMs: 1.5 * wallMs,
  });
  const result = await outer.dispatch<CodeToolResult>({
    tool: 'run_code',
    args: { code: 'return await pay({})' },
  });
  expect(result).toMatchObject({ ok: true, attempts: 1 });
  expect(result.ok && valueOf(result.value.outcome)).toBe('paid');
});
