import type { JsonSchema } from './definition.ts';
import { docComment, docLines, docTag } from './doc-comments.ts';
import type { RegisteredTool } from './tool-registry.ts';
import { pascalCase, TypeWriter } from './type-writer.ts';

/** A tree of tools by the words of their names. */
type Group = Map<string, Group | RegisteredTool>;

/**
 * Writes TypeScript declarations of tools, for a model or a person who writes code that calls them.
 * Types come from the schemas, doc comments from the descriptions. `orders.total` is a method of
 * `orders`.
 */
export function toolTypes(tools: Iterable<RegisteredTool>): string {
  const root: Group = new Map();
  for (const tool of tools) {
    const words = tool.name.split('.');
    const last = words.pop() ?? '';
    groupAt(root, words).set(last, tool);
  }
  const types: string[] = [];
  const taken = new Set<string>();
  const members = [...root].map(([name, member]) =>
    member instanceof Map
      ? `declare const ${name}: ${writeGroup(member, '', types, taken)};\n`
      : writeTool(`declare function ${name}`, member, '', types, taken),
  );
  return [...types, ...members].join('\n');
}

function groupAt(root: Group, words: readonly string[]): Group {
  let group = root;
  for (const word of words) {
    let next = group.get(word);
    if (!(next instanceof Map)) group.set(word, (next = new Map()));
    group = next;
  }
  return group;
}

function writeGroup(group: Group, indent: string, types: string[], taken: Set<string>): string {
  const inner = `${indent}  `;
  const members = [...group].map(([name, member]) =>
    member instanceof Map
      ? `${inner}${name}: ${writeGroup(member, inner, types, taken)};\n`
      : writeTool(name, member, inner, types, taken),
  );
  return `{\n${members.join('')}${indent}}`;
}

function writeTool(
  head: string,
  tool: RegisteredTool,
  indent: string,
  types: string[],
  taken: Set<string>,
): string {
  const { name, description, inputJsonSchema, outputJsonSchema } = tool;
  const write = (schema: JsonSchema | undefined, side: string): string | undefined => {
    if (schema === undefined) return undefined;
    const writer = new TypeWriter(schema, pascalCase(name) + side, taken);
    const type = writer.write(indent);
    types.push(...writer.declarations);
    return type;
  };
  const args = write(inputJsonSchema, 'Input');
  const result = write(outputJsonSchema, 'Output') ?? 'unknown';
  const doc = [
    ...docLines(description),
    ...docTag('param args', inputJsonSchema),
    ...docTag('returns', outputJsonSchema),
  ];
  const parameter = args === undefined ? 'args?: unknown' : `args: ${args}`;
  return `${docComment(doc, indent)}${indent}${head}(${parameter}): Promise<${result}>;\n`;
}
