import type { JsonSchema } from './definition.ts';
import { docComment, docLinesOf, inlineComment } from './doc-comments.ts';
import { JAVASCRIPT_TYPE } from './javascript-types.ts';

/** An object type without comments is written on one line if it fits into this many characters. */
const MAX_LINE = 80;
const PROPERTY_NAME = /^[A-Za-z_$][\w$]*$/;

/** A subschema may be `true` or `false`. */
type Subschema = JsonSchema | boolean;

function asSchema(value: unknown): Subschema | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? // The cast is safe: any object is a JsonSchema, because its keywords are `unknown`.
      (value as JsonSchema)
    : undefined;
}

function asSchemas(value: unknown): Subschema[] {
  if (!Array.isArray(value)) return [];
  return value.map(asSchema).filter((schema) => schema !== undefined);
}

function entriesOf(value: unknown): [string, Subschema][] {
  return Object.entries(asSchema(value) ?? {}).flatMap(([name, each]) => {
    const schema = asSchema(each);
    return schema === undefined ? [] : [[name, schema]];
  });
}

/** `order-line` as `OrderLine`. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');
}

function union(types: readonly string[]): string {
  const members = new Set(types);
  if (members.has('unknown')) return 'unknown';
  if (members.size > 1) members.delete('never');
  return members.size === 0 ? 'never' : [...members].join(' | ');
}

function intersection(types: readonly string[]): string {
  const members = new Set(types);
  members.delete('unknown');
  if (members.size === 0) return 'unknown';
  if (members.size === 1) return [...members].join('');
  return [...members].map(group).join(' & ');
}

/** A type in parentheses where `&` or `?` next to it needs them. */
function group(type: string): string {
  return /[|&]|\/\*/.test(type) ? `(${type})` : type;
}

function arrayOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `Array<${type}>`;
}

/** The literal type of a JSON value. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, each]) => `${propertyName(name)}: ${literal(each)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
}

function propertyName(name: string): string {
  return PROPERTY_NAME.test(name) ? name : JSON.stringify(name);
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.getOwnPropertyDescriptor(value, key)?.value
    : undefined;
}

/** Writes the TypeScript type of one JSON Schema. Targets of `$ref` become named types. */
export class TypeWriter {
  readonly #root: JsonSchema;
  readonly #prefix: string;
  readonly #taken: Set<string>;
  readonly #aliases = new Map<string, string>();
  /** Declarations of the named types. */
  readonly declarations: string[] = [];

  /**
   * @param prefix Prefix of the names of all named types.
   * @param taken Names that other types already use. This writer adds its own names.
   */
  constructor(root: JsonSchema, prefix: string, taken: Set<string>) {
    this.#root = root;
    this.#prefix = prefix;
    this.#taken = taken;
  }

  /** The type of the whole schema. */
  write(indent: string): string {
    return this.#write(this.#root, indent);
  }

  #write(schema: Subschema, indent: string): string {
    if (typeof schema === 'boolean') return schema ? 'unknown' : 'never';
    const parts = [this.#own(schema, indent)];
    if (typeof schema['$ref'] === 'string') parts.push(this.#refer(schema['$ref']));
    for (const keyword of ['anyOf', 'oneOf']) {
      if (Array.isArray(schema[keyword])) {
        parts.push(union(this.#members(schema[keyword], indent)));
      }
    }
    parts.push(...this.#members(schema['allOf'], indent));
    const type = intersection(parts);
    return schema['nullable'] === true ? union([type, 'null']) : type;
  }

  #members(schemas: unknown, indent: string): string[] {
    return asSchemas(schemas).map((schema) => this.#writeWithDoc(schema, indent));
  }

  /** The type of a schema that is not a property, with an inline doc comment. */
  #writeWithDoc(schema: Subschema, indent: string): string {
    const type = this.#write(schema, indent);
    // Without a comment, so that `union` and `intersection` recognise these two types.
    if (typeof schema === 'boolean' || type === 'unknown' || type === 'never') return type;
    return inlineComment(docLinesOf(schema)) + type;
  }

  /** The type from the schema's own keywords, without `$ref` and combined schemas. */
  #own(schema: JsonSchema, indent: string): string {
    if ('const' in schema) return literal(schema['const']);
    if (Array.isArray(schema['enum'])) return union(schema['enum'].map(literal));
    const special = schema[JAVASCRIPT_TYPE];
    if (typeof special === 'string') return this.#javascriptType(special, schema, indent);
    const { type } = schema;
    if (Array.isArray(type)) {
      return union(type.map((each: unknown) => this.#ofType(each, schema, indent)));
    }
    return this.#ofType(type ?? this.#impliedType(schema), schema, indent);
  }

  #impliedType(schema: JsonSchema): string | undefined {
    const has = (...keywords: readonly string[]): boolean =>
      keywords.some((keyword) => keyword in schema);
    if (has('properties', 'required', 'additionalProperties', 'patternProperties')) return 'object';
    return has('items', 'prefixItems') ? 'array' : undefined;
  }

  #ofType(type: unknown, schema: JsonSchema, indent: string): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
      case 'number':
        return type;
      case 'integer':
        return 'number';
      case 'array':
        return this.#array(schema, indent);
      case 'object':
        return this.#object(schema, indent);
      default:
        return 'unknown';
    }
  }

  #javascriptType(name: string, schema: JsonSchema, indent: string): string {
    const part = (keyword: string): string =>
      this.#writeWithDoc(asSchema(schema[keyword]) ?? true, indent);
    if (name === 'Map') return `Map<${part('propertyNames')}, ${part('additionalProperties')}>`;
    return name === 'Set' ? `Set<${part('items')}>` : name;
  }

  #array(schema: JsonSchema, indent: string): string {
    const { items, prefixItems, additionalItems, minItems = 0, maxItems = Infinity } = schema;
    // In draft-07, `items` may be the list of the first elements.
    const first = asSchemas(prefixItems ?? items);
    const others = asSchema(Array.isArray(items) ? additionalItems : items) ?? true;
    if (first.length === 0) return arrayOf(this.#writeWithDoc(others, indent));
    const members = first.map((each, index) => {
      const member = this.#writeWithDoc(each, indent);
      return index < Number(minItems) ? member : `${group(member)}?`;
    });
    const isClosed = others === false || Number(maxItems) <= first.length;
    if (!isClosed) members.push(`...${arrayOf(this.#writeWithDoc(others, indent))}`);
    return `[${members.join(', ')}]`;
  }

  #object(schema: JsonSchema, indent: string): string {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const properties = new Map<unknown, Subschema>(entriesOf(schema['properties']));
    for (const name of required) if (!properties.has(name)) properties.set(name, true);
    const inner = `${indent}  `;
    const members = [...properties].map(([name, property]) => {
      const doc = typeof property === 'boolean' ? [] : docLinesOf(property);
      const mark = required.has(name) ? '' : '?';
      const type = this.#write(property, inner);
      return { doc, text: `${propertyName(String(name))}${mark}: ${type}` };
    });
    const index = this.#indexSignature(schema, members.length > 0, inner);
    if (index !== undefined) members.push({ doc: [], text: index });
    if (members.length === 0) return 'unknown';

    const line = `{ ${members.map(({ text }) => text).join('; ')} }`;
    const isShort = line.length + indent.length <= MAX_LINE && !line.includes('\n');
    if (isShort && members.every(({ doc }) => doc.length === 0)) return line;
    const lines = members.map(({ doc, text }) => `${docComment(doc, inner)}${inner}${text};\n`);
    return `{\n${lines.join('')}${indent}}`;
  }

  /** The index signature for additional properties; undefined if the schema does not need one. */
  #indexSignature(schema: JsonSchema, hasNames: boolean, indent: string): string | undefined {
    const patterns = entriesOf(schema['patternProperties']).map(([, each]) => each);
    const rest = asSchema(schema['additionalProperties'] ?? schema['unevaluatedProperties']);
    if (rest === undefined && patterns.length === 0) {
      const isWhole = !['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema);
      return hasNames || !isWhole ? undefined : '[key: string]: unknown';
    }
    if (rest === false && patterns.length === 0)
      return hasNames ? undefined : '[key: string]: never';
    // In TypeScript, named properties must match the index signature; only `unknown` allows them all.
    const types = [...patterns, ...(rest === undefined ? [] : [rest])];
    const type = hasNames
      ? 'unknown'
      : union(types.map((each) => this.#writeWithDoc(each, indent)));
    return `[key: string]: ${type}`;
  }

  /** The name of the type for the target of a reference. Declares the type when it is first used. */
  #refer(reference: string): string {
    const known = this.#aliases.get(reference);
    if (known !== undefined) return known;
    const target = this.#resolve(reference);
    if (target === undefined) return 'unknown';
    const name = this.#newName(reference);
    this.#aliases.set(reference, name);
    const at = this.declarations.push('') - 1;
    const doc = typeof target === 'boolean' ? [] : docLinesOf(target);
    this.declarations[at] = `${docComment(doc, '')}type ${name} = ${this.#write(target, '')};\n`;
    return name;
  }

  #resolve(reference: string): Subschema | undefined {
    if (!/^#(?:\/|$)/.test(reference)) return undefined;
    const keys = reference
      .split('/')
      .slice(1)
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
    const target = asSchema(keys.reduce<unknown>(memberOf, this.#root));
    // A target that is itself a reference needs no type of its own.
    const next = typeof target === 'object' ? target['$ref'] : undefined;
    return typeof next === 'string' ? this.#resolve(next) : target;
  }

  #newName(reference: string): string {
    const name = `${this.#prefix}${pascalCase(reference.split('/').at(-1)?.replace('#', '') ?? '')}`;
    let unique = name;
    for (let count = 2; this.#taken.has(unique); count++) unique = `${name}${count}`;
    this.#taken.add(unique);
    return unique;
  }
}
