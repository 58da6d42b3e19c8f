import type { JsonSchemaExecutableToolDescriptors } from '@cloudflare/codemode/browser';

import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import { listAgentTools } from '../common/agent-tools.ts';
import type { AgentToolsOptions } from '../common/agent-tools.ts';

/**
 * The tools of a dispatcher's registry for `tools` of codemode's `createCodeTool` and
 * `createBrowserCodeTool`. Codemode does not ask for approval: if a call needs approval, the
 * dispatcher's `approve` is called.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`, `INVALID_NAME`.
 */
export function toCodemodeTools(
  dispatcher: Dispatcher,
  options?: AgentToolsOptions,
): JsonSchemaExecutableToolDescriptors {
  return Object.fromEntries(
    listAgentTools(dispatcher, options).map((tool) => {
      const execute = (args: unknown = {}): Promise<unknown> =>
        tool.call(args, { isApproved: false, caller: 'code' });
      return [tool.name, { description: tool.description, inputSchema: tool.inputSchema, execute }];
    }),
  );
}
