import type { JsonSchema } from './definition.ts';
import type { RegisteredTool } from './tool-registry.ts';

/** A tool as plain data, for lists. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string | undefined;
  /** `trusted`: a function of the application. `untrusted`: source that runs in the sandbox. */
  readonly kind: 'trusted' | 'untrusted';
  /** `depends`: a function of the tool decides for each call. */
  readonly needsApproval: boolean | 'depends';
  readonly idempotent: boolean;
  readonly inputSchema: JsonSchema | undefined;
  readonly outputSchema: JsonSchema | undefined;
}

export function describeTool({ definition, ...tool }: RegisteredTool): ToolDescription {
  return {
    name: tool.name,
    description: tool.description,
    kind: 'source' in definition ? 'untrusted' : 'trusted',
    needsApproval:
      typeof definition.needsApproval === 'function'
        ? 'depends'
        : definition.needsApproval === true,
    idempotent: definition.idempotent === true,
    inputSchema: tool.inputJsonSchema,
    outputSchema: tool.outputJsonSchema,
  };
}
