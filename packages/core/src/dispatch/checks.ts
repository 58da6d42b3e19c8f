import { SerializationError, serialize } from '@glovebox/serializer/safe';

import { readThrown } from '../shared/thrown.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { SchemaFault } from '../tools/validation.ts';
import type { Failure } from './dispatch-result.ts';

/** A value, or the reason why there is none. */
export type ToolResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };

/** Validates arguments with the tool's input schema. Never rejects. */
export async function checkInput(
  tool: RegisteredTool,
  args: unknown,
  what = `The arguments of ${tool.name}`,
): Promise<ToolResult> {
  try {
    const validation = await tool.validateInput(args);
    if (validation.ok) return validation;
    return schemaFailure('schema', `${what} do not fit its schema`, validation.faults);
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, `The input schema of ${tool.name} failed: `) };
  }
}

/** Validates a result with the tool's output schema, and checks that it is data. Never rejects. */
export async function checkOutput(tool: RegisteredTool, result: unknown): Promise<ToolResult> {
  try {
    const validation = await tool.validateOutput(result);
    if (!validation.ok) {
      const what = `The result of ${tool.name} does not fit its output schema`;
      return schemaFailure('output_schema', what, validation.faults);
    }
    // Every receiver (a guest, a model, another machine) gets the result as text.
    serialize(validation.value);
    return validation;
  } catch (thrown) {
    if (thrown instanceof SerializationError) {
      const { message, path } = thrown;
      return {
        ok: false,
        failure: {
          kind: 'unserializable',
          message: `The result of ${tool.name} cannot be serialized: ${message}`,
          path,
        },
      };
    }
    return { ok: false, failure: failureOf(thrown, `The output schema of ${tool.name} failed: `) };
  }
}

function schemaFailure(
  kind: 'schema' | 'output_schema',
  what: string,
  faults: readonly SchemaFault[],
): ToolResult {
  const list = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
  return { ok: false, failure: { kind, message: `${what}: ${list}`, faults } };
}

/** Converts a value that code of the tool threw to a failure. */
export function failureOf(
  thrown: unknown,
  prefix = '',
  kind: 'internal' | 'transient' = 'internal',
): Failure {
  const { name, message, code, details } = readThrown(thrown);
  return {
    kind,
    message: prefix + message,
    name,
    ...(code === undefined ? {} : { toolCode: code }),
    ...(isData(details) ? { details } : {}),
  };
}

/** Details are optional, so those that are not data are omitted. */
function isData(details: unknown): boolean {
  if (details === undefined) return false;
  try {
    serialize(details);
    return true;
  } catch {
    return false;
  }
}
