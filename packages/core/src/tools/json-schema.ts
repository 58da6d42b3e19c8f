import { Ajv } from 'ajv';
import type { ErrorObject, Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';

import type { JsonSchema } from './definition.ts';
import { hasType, JAVASCRIPT_TYPE, JAVASCRIPT_TYPES } from './javascript-types.ts';
import { pointerTo, refusal } from './validation.ts';
import type { CompiledSchema, SchemaFault } from './validation.ts';

const OPTIONS: Options = {
  allErrors: true,
  // Unknown keywords and formats are errors; how a schema is styled is its author's business.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  // What a guest's object inherits is none of its arguments.
  ownProperties: true,
  // A schema is forgotten once it is compiled, so that two tools may use the same `$id`.
  addUsedSchema: false,
  logger: false,
};

function prepare(ajv: Ajv): Ajv {
  ajvFormats.default(ajv);
  ajv.addKeyword({
    keyword: JAVASCRIPT_TYPE,
    schemaType: 'string',
    metaSchema: { enum: JAVASCRIPT_TYPES },
    validate: (name: string, value: unknown) => hasType(value, name),
    error: { message: ({ schema }) => `must be of type ${String(schema)}` },
  });
  return ajv;
}

/** Made when the first schema of its draft comes. */
const compilers = new Map<string, Ajv>();

function compilerOf(draft: string): Ajv {
  let compiler = compilers.get(draft);
  if (compiler === undefined) {
    compiler = prepare(draft === 'draft-07' ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS));
    compilers.set(draft, compiler);
  }
  return compiler;
}

const DRAFTS = new Map<unknown, string>([
  [undefined, '2020-12'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
]);

function draftOf({ $schema }: JsonSchema): string {
  const draft = DRAFTS.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
  if (draft !== undefined) return draft;
  throw new Error(`$schema ${JSON.stringify($schema)} is neither draft 2020-12 nor draft-07.`);
}

/**
 * Compiles a plain JSON Schema. Values are checked as they are: nothing is converted, no default
 * is filled in.
 *
 * @throws Error It is broken, or has keywords or formats that are not known.
 */
export function compileJsonSchema(given: JsonSchema): CompiledSchema {
  // A copy: its owner may change it later.
  const jsonSchema = structuredClone(given);
  const compiler = compilerOf(draftOf(jsonSchema));
  try {
    const validate = compiler.compile(jsonSchema);
    if ('$async' in validate) throw new Error('$async schemas are not supported.');
    return {
      jsonSchema,
      validate: (value) =>
        validate(value) ? { ok: true, value } : refusal(validate.errors ?? [], toFault),
    };
  } finally {
    compiler.removeSchema(jsonSchema);
  }
}

/** The name of a property that a fault is about, where it lies not in the value itself. */
function propertyOf({ keyword, params, propertyName }: ErrorObject): string | undefined {
  if (propertyName !== undefined) return propertyName;
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return params['missingProperty'] as string;
    case 'additionalProperties':
      return params['additionalProperty'] as string;
    case 'unevaluatedProperties':
      return params['unevaluatedProperty'] as string;
    default:
      return undefined;
  }
}

function toFault(error: ErrorObject): SchemaFault {
  const property = propertyOf(error);
  const { instancePath, keyword, message = 'does not fit' } = error;
  const path = property === undefined ? instancePath : `${instancePath}${pointerTo([property])}`;
  return { path: path === '' ? '/' : path, keyword, message };
}
