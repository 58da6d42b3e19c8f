import { SerializationError, serialize } from '@glovebox/serializer/safe';

import { readThrown } from '../shared/thrown.ts';
import type { RegisteredTool } from '../tools/tool-registry.ts';
import type { SchemaFault } from '../tools/validation.ts';
import type { Failure } from './dispatch-result.ts';

/** A value that may go on, or why it may not. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: Failure };

/** Checks arguments against the tool's input schema. Never rejects. */
export async function checkInput(
  tool: RegisteredTool,
  args: unknown,
  what = `The arguments of ${tool.name}`,
): Promise<Checked> {
  try {
    const validation = await tool.validateInput(args);
    if (validation.ok) return validation;
    return misfit('schema', `${what} do not fit its schema`, validation.faults);
  } catch (thrown) {
    return { ok: false, failure: failureOf(thrown, `The input schema of ${tool.name} failed: `) };
  }
}

/** Checks a result against the tool's output schema, and that it is data. Never rejects. */
export async function checkOutput(tool: RegisteredTool, result: unknown): Promise<Checked> {
  try {
    const validation = await tool.validateOutput(result);
    if (!validation.ok) {
      const what = `The result of ${tool.name} does not fit its output schema`;
      return misfit('output_schema', what, validation.faults);
    }
    // Whoever gets it, a guest, a model or another machine, gets it as text.
    serialize(validation.value);
    return validation;
  } catch (thrown) {
    if (thrown instanceof SerializationError) {
      const { message, path } = thrown;
      return {
        ok: false,
        failure: {
          kind: 'unserializable',
          message: `The result of ${tool.name} cannot be passed on: ${message}`,
          path,
        },
      };
    }
    return { ok: false, failure: failureOf(thrown, `The output schema of ${tool.name} failed: `) };
  }
}

function misfit(
  kind: 'schema' | 'output_schema',
  what: string,
  faults: readonly SchemaFault[],
): Checked {
  const list = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
  return { ok: false, failure: { kind, message: `${what}: ${list}`, faults } };
}

/** What the tool's own code threw, as a failure. */
export function failureOf(
  thrown: unknown,
  before = '',
  kind: 'internal' | 'transient' = 'internal',
): Failure {
  const { name, message, code, details } = readThrown(thrown);
  return {
    kind,
    message: before + message,
    name,
    ...(code === undefined ? {} : { toolCode: code }),
    ...(isData(details) ? { details } : {}),
  };
}

/** Details that are no data are left out: they are an extra. */
function isData(details: unknown): boolean {
  if (details === undefined) return false;
  try {
    serialize(details);
    return true;
  } catch {
    return false;
  }
}
