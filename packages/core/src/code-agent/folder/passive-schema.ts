import type { JsonSchema, StandardSchemaWithJson } from '../../tools/definition.ts';

const VENDOR = 'glovebox-agent-folder';

/**
 * The schema of a tool as its folder has it, which says what a model is to send and is evaluated
 * nowhere: a stranger's schema can take any time and memory of the host that checks values by it.
 */
export function passiveSchema(json: JsonSchema): StandardSchemaWithJson {
  return {
    '~standard': {
      version: 1,
      vendor: VENDOR,
      validate: (value) => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/** Whether a schema came from a folder, and goes back there as it was. */
export function isPassive(schema: object): boolean {
  const standard: unknown = '~standard' in schema ? schema['~standard'] : undefined;
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'vendor' in standard &&
    standard.vendor === VENDOR
  );
}
