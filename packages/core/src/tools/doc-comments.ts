import type { JsonSchema } from './definition.ts';

/** Keywords that a TypeScript type cannot express. Each is written as a tag with its value. */
const TAGS = [
  'default',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
] as const;

/** Whether a tag adds no information, such as what zod writes for every email or integer. */
function isRedundant(tag: (typeof TAGS)[number], schema: JsonSchema): boolean {
  if (tag === 'pattern') return schema['format'] !== undefined;
  return Math.abs(Number(schema[tag])) === Number.MAX_SAFE_INTEGER;
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** The lines of a text for a comment. An end of a comment in the text is escaped. */
function linesOf(text: string): string[] {
  return text
    .trim()
    .split(LINE_BREAK)
    .map((line) => line.trimEnd().replaceAll('*/', String.raw`*\/`));
}

/** The doc comment of a schema: its description, and tags such as `@minimum 1`. */
export function docLinesOf(schema: JsonSchema): string[] {
  const { description, title, type, deprecated } = schema;
  const text = [description, title].find((candidate) => typeof candidate === 'string');
  const lines = typeof text === 'string' ? linesOf(text) : [];
  if (type === 'integer') lines.push('@type integer');
  for (const tag of TAGS) {
    const value = schema[tag];
    if (value === undefined || isRedundant(tag, schema)) continue;
    lines.push(...linesOf(`@${tag} ${typeof value === 'string' ? value : JSON.stringify(value)}`));
  }
  if (deprecated === true) lines.push('@deprecated');
  return lines;
}

/** A doc tag about a part of a tool, such as `@param args The order.` */
export function docTag(tag: string, schema: JsonSchema | undefined): string[] {
  const description = schema?.['description'];
  return typeof description === 'string' ? linesOf(`@${tag} ${description}`) : [];
}

export function docLines(text: string | undefined): string[] {
  return text === undefined ? [] : linesOf(text);
}

/** A doc comment on its own lines; an empty string if there are no lines. */
export function docComment(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return '';
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  const body = lines.map((line) => `${indent} * ${line}`.trimEnd());
  return [`${indent}/**`, ...body, `${indent} */\n`].join('\n');
}

/** A doc comment in front of a type, on the same line. */
export function inlineComment(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `/** ${lines.join(' ')} */ `;
}
