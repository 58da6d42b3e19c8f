import type { JsonSchema } from './definition.ts';
import type { RegisteredTool } from './tool-registry.ts';

/** A tool as plain data, for lists. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string | undefined;
  /** Whether it is a function of the host, or source that runs in the box. */
  readonly kind: 'trusted' | 'untrusted';
  /** `depends`: a function of its own decides, and only a call can tell. */
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
