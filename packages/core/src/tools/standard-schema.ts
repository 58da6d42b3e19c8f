import type { JsonSchema, StandardSchemaWithJson, ToolSchema } from './definition.ts';
import { schemaOfType } from './javascript-types.ts';
import { failedValidation, pointerTo } from './validation.ts';
import type { CompiledSchema, SchemaFault, Validation } from './validation.ts';

type Side = 'input' | 'output';
type Result = Awaited<ReturnType<StandardSchemaWithJson['~standard']['validate']>>;
type Issue = NonNullable<Result['issues']>[number];

export function isStandardSchema(schema: ToolSchema): schema is StandardSchemaWithJson {
  return '~standard' in schema;
}

/**
 * Compiles a Standard Schema.
 *
 * @throws Error It cannot be converted to JSON Schema.
 */
export function compileStandardSchema(schema: StandardSchemaWithJson, side: Side): CompiledSchema {
  const { validate } = schema['~standard'];
  return {
    jsonSchema: convert(schema, side),
    validate: (value) => {
      const result = validate(value);
      return 'then' in result ? result.then(toValidation) : toValidation(result);
    },
  };
}

function toValidation(result: Result): Validation {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : failedValidation(result.issues, toFault);
}

function toFault(issue: Issue): SchemaFault {
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part));
  // The standard has no field for the violated rule: zod and ArkType have `code`, Valibot `type`.
  const { code, type } = issue as { readonly code?: unknown; readonly type?: unknown };
  const keyword = [code, type].find((name) => typeof name === 'string') ?? 'invalid';
  return { path: pointerTo(keys), keyword, message: issue.message };
}

/** @param within The schemas of Maps and Sets that contain this one. */
function convert(
  schema: StandardSchemaWithJson,
  side: Side,
  within: readonly StandardSchemaWithJson[] = [],
): JsonSchema {
  const { vendor, jsonSchema } = schema['~standard'];
  // A schema that JavaScript code passes may lack it, despite its type.
  const converter = jsonSchema as typeof jsonSchema | undefined;
  if (converter === undefined) {
    const hint = vendor === 'valibot' ? ': wrap it in toStandardJsonSchema' : '';
    throw new Error(`This schema of ${vendor} has no JSON Schema${hint}.`);
  }
  const libraryOptions = OPTIONS.get(vendor)?.({ side, within: [...within, schema] });
  return converter[side]({ target: 'draft-2020-12', libraryOptions });
}

/**
 * Options that make each library convert types that JSON does not have. For types that guests do not
 * support either, the library's own error remains.
 */
const OPTIONS = new Map<string, (place: Place) => Record<string, unknown>>([
  ['zod', (place) => ({ unrepresentable: (site: ZodSite) => writeZodType(site, place) })],
  ['arktype', () => ({ fallback: writeArkType })],
  ['valibot', () => ({ overrideSchema: writeValibotType })],
]);

/** The context of a schema that a library asks to convert. */
interface Place {
  readonly side: Side;
  readonly within: readonly StandardSchemaWithJson[];
}

interface ZodSite {
  readonly zodSchema: ZodSchema;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The parts of a zod schema that are used here. It may come from another copy of zod. */
interface ZodSchema extends StandardSchemaWithJson {
  readonly _zod: {
    readonly def: {
      readonly type: string;
      readonly keyType?: ZodSchema;
      readonly valueType?: ZodSchema;
    };
    readonly bag: { readonly Class?: { readonly name: string } };
  };
}

/** The names of types in zod and Valibot, and the JavaScript types that they stand for. */
const TYPE_NAMES = new Map([
  ['date', 'Date'],
  ['map', 'Map'],
  ['set', 'Set'],
  ['bigint', 'bigint'],
  ['undefined', 'undefined'],
  ['void', 'undefined'],
]);

function writeZodType({ zodSchema, path, message }: ZodSite, place: Place): JsonSchema {
  const {
    _zod: { def, bag },
  } = zodSchema;
  const type = schemaOfType(TYPE_NAMES.get(def.type) ?? bag.Class?.name);
  if (type === undefined) throw new Error(`${message}, at ${pointerTo(path)}`);
  const { keyType, valueType } = def;
  if (def.type === 'map' && keyType !== undefined && valueType !== undefined) {
    const additionalProperties = convertPart(valueType, place);
    return { ...type, propertyNames: convertPart(keyType, place), additionalProperties };
  }
  if (def.type === 'set' && valueType !== undefined) {
    return { ...type, items: convertPart(valueType, place) };
  }
  return type;
}

/**
 * Converts the schema of the contents of a Map or Set. Returns `{}`, which accepts anything, if the
 * schema is recursive or needs definitions at the root of the whole schema.
 */
function convertPart(schema: StandardSchemaWithJson, { side, within }: Place): JsonSchema {
  if (within.includes(schema)) return {};
  const { $schema: _draft, $defs: definitions, ...part } = convert(schema, side, within);
  const refersToRoot = definitions !== undefined || JSON.stringify(part).includes('"$ref"');
  return refersToRoot ? {} : part;
}

interface ArkTypeSite {
  readonly code: string;
  readonly base: JsonSchema;
  readonly proto?: { readonly name: string };
  readonly domain?: string;
}

/** Constraints that JSON Schema cannot express. They are dropped, and the base type remains. */
const ARKTYPE_NARROWER = new Set(['predicate', 'patternIntersection', 'defaultValue']);

function writeArkType({ code, base, proto, domain }: ArkTypeSite): JsonSchema {
  if (ARKTYPE_NARROWER.has(code)) return base;
  const type = schemaOfType(code === 'date' ? 'Date' : (proto?.name ?? domain));
  if (type !== undefined) return { ...base, ...type };
  throw new Error(`ArkType's ${code} cannot be represented in JSON Schema.`);
}

interface ValibotSite {
  readonly valibotSchema: {
    readonly type: string;
    readonly class?: { readonly name: string };
  };
  readonly errors: readonly string[] | undefined;
}

function writeValibotType({ valibotSchema, errors }: ValibotSite): JsonSchema | undefined {
  if (errors === undefined) return undefined;
  const { type, class: instanceOf } = valibotSchema;
  return schemaOfType(TYPE_NAMES.get(type) ?? instanceOf?.name);
}
