import { Ajv } from 'ajv';
import type { ErrorObject, Options } from 'ajv';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

import type { JsonSchema } from './definition.ts';
import { hasType, JAVASCRIPT_TYPE, JAVASCRIPT_TYPES } from './javascript-types.ts';
import { failedValidation, pointerTo } from './validation.ts';
import type { CompiledSchema, SchemaFault } from './validation.ts';

const OPTIONS: Options = {
  allErrors: true,
  // Refuses unknown keywords and formats, but not schemas that are merely unusual in style.
  strictSchema: true,
  strictTypes: false,
  strictTuples: false,
  // Inherited properties of a guest's object are not part of its arguments.
  ownProperties: true,
  // `checkerOf` validates the schema; it is created once per draft, because that is slow.
  validateSchema: false,
  logger: false,
};

type Draft = typeof Ajv | typeof Ajv2020;

const DRAFTS = new Map<unknown, Draft>([
  [undefined, Ajv2020],
  ['https://json-schema.org/draft/2020-12/schema', Ajv2020],
  ['http://json-schema.org/draft-07/schema', Ajv],
]);

/** Validators of schemas, one per draft, created when they are first needed. */
const checkers = new Map<Draft, Ajv>();

function checkerOf(draft: Draft): Ajv {
  let checker = checkers.get(draft);
  if (checker === undefined) checkers.set(draft, (checker = new draft({ logger: false })));
  return checker;
}

function draftOf({ $schema }: JsonSchema): Draft {
  const draft = DRAFTS.get(typeof $schema === 'string' ? $schema.replace(/#$/, '') : $schema);
  if (draft !== undefined) return draft;
  throw new Error(`$schema ${JSON.stringify($schema)} is neither draft 2020-12 nor draft-07.`);
}

/** Creates a compiler for one schema, so that an `$id` in it cannot affect other schemas. */
function compilerOf(draft: Draft): Ajv {
  const compiler = new draft(OPTIONS);
  ajvFormats.default(compiler);
  // Ajv resolves `$anchor`, but reports it as an unknown keyword unless it is added.
  compiler.addKeyword('$anchor');
  // Replaces the library's pattern, which takes quadratic time for text of a guest.
  compiler.addFormat('url', (text: string) => /^(?:https?|ftp):/i.test(text) && URL.canParse(text));
  compiler.addKeyword({
    keyword: JAVASCRIPT_TYPE,
    schemaType: 'string',
    metaSchema: { enum: JAVASCRIPT_TYPES },
    validate: (name: string, value: unknown) => hasType(value, name),
    error: { message: ({ schema }) => `must be of type ${String(schema)}` },
  });
  return compiler;
}

/**
 * Compiles a plain JSON Schema. Validation does not convert values and does not add defaults.
 *
 * @throws Error The schema is invalid, or has unknown keywords or formats.
 */
export function compileJsonSchema(given: JsonSchema): CompiledSchema {
  // A copy, because the caller may change the schema later.
  const jsonSchema = structuredClone(given);
  const draft = draftOf(jsonSchema);
  // Throws if the schema is invalid, so the returned value is not needed.
  void checkerOf(draft).validateSchema(jsonSchema, true);
  const validate = compilerOf(draft).compile(jsonSchema);
  if ('$async' in validate) throw new Error('$async schemas are not supported.');
  return {
    jsonSchema,
    validate: (value) =>
      validate(value) ? { ok: true, value } : failedValidation(validate.errors ?? [], toFault),
  };
}

/** The name of the missing or unexpected property that a fault is about. */
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
