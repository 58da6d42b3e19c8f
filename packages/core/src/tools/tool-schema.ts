import type { ToolSchema } from './definition.ts';
import { compileJsonSchema } from './json-schema.ts';
import { compileStandardSchema, isStandardSchema } from './standard-schema.ts';
import type { CompiledSchema } from './validation.ts';

/**
 * Compiles the schema of a tool.
 *
 * @param side Whether it describes the arguments of the tool or its result.
 * @throws Error It is invalid, or cannot be converted to JSON Schema; the message says why.
 */
export function compileSchema(schema: ToolSchema, side: 'input' | 'output'): CompiledSchema {
  return isStandardSchema(schema) ? compileStandardSchema(schema, side) : compileJsonSchema(schema);
}
