import { Ajv } from 'ajv';
import type { ErrorObject, Options } from 'ajv';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';

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
  // Checked once by the draft's own checker, which takes long to make.
  validateSchema: false,
  logger: false,
};

type Draft = typeof Ajv | typeof Ajv2020;

const DRAFTS = new Map<unknown, Draft>([
  [undefined, Ajv2020],
  ['https://json-schema.org/draft/2020-12/schema', Ajv2020],
  ['http://json-schema.org/draft-07/schema', Ajv],
]);

/** Check schemas against their drafts; made when the first schema of its draft comes. */
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

/** A compiler for one schema, so that no `$id` in it means anything to another. */
function compilerOf(draft: Draft): Ajv {
  const compiler = new draft(OPTIONS);
  ajvFormats.default(compiler);
  // The library resolves it, and takes it for unknown all the same.
  compiler.addKeyword('$anchor');
  // The pattern that the library has takes time in the square of a guest's text.
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
 * Compiles a plain JSON Schema. Values are checked as they are: nothing is converted, no default
 * is filled in.
 *
 * @throws Error It is broken, or has keywords or formats that are not known.
 */
export function compileJsonSchema(given: JsonSchema): CompiledSchema {
  // A copy: its owner may change it later.
  const jsonSchema = structuredClone(given);
  const draft = draftOf(jsonSchema);
  // It throws: the answer has nothing more to say.
  void checkerOf(draft).validateSchema(jsonSchema, true);
  const validate = compilerOf(draft).compile(jsonSchema);
  if ('$async' in validate) throw new Error('$async schemas are not supported.');
  return {
    jsonSchema,
    validate: (value) =>
      validate(value) ? { ok: true, value } : refusal(validate.errors ?? [], toFault),
  };
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
