import type { JsonSchema, StandardSchemaWithJson } from '../../tools/definition.ts';

const VENDOR = 'glovebox-agent-folder';

/**
 * A schema from a folder. It tells a model the arguments of a tool, and is never evaluated:
 * validating with an untrusted schema could take unlimited time and memory of the host.
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

/** Whether a schema came from a folder, so that it is saved unchanged. */
export function isPassive(schema: object): boolean {
  const standard: unknown = '~standard' in schema ? schema['~standard'] : undefined;
  return (
    typeof standard === 'object' &&
    standard !== null &&
    'vendor' in standard &&
    standard.vendor === VENDOR
  );
}
