import type { ToolSchema } from './definition.ts';
import { compileJsonSchema } from './json-schema.ts';
import { compileStandardSchema, isStandardSchema } from './standard-schema.ts';
import type { CompiledSchema } from './validation.ts';

/**
 * Makes a schema ready for use.
 *
 * @param side Whether it describes what goes into a tool, or what comes out.
 * @throws Error It is broken, or has no JSON Schema; the message says why.
 */
export function compileSchema(schema: ToolSchema, side: 'input' | 'output'): CompiledSchema {
  return isStandardSchema(schema) ? compileStandardSchema(schema, side) : compileJsonSchema(schema);
}
