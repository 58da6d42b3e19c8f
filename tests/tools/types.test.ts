import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';

import { ToolRegistry, toolTypes } from '@glovebox/core';
import type { AnyTool, JsonSchema } from '@glovebox/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

import { TYPE_CASES } from './type-cases.ts';
import type { TypeCase } from './type-cases.ts';

function typesOf(...definitions: readonly Partial<AnyTool>[]): string {
  const registry = new ToolRegistry();
  for (const definition of definitions) {
    registry.register({ name: 'a', source: '', ...definition } as AnyTool);
  }
  return toolTypes(registry.list());
}

/** A schema with a definition of the given type, which it refers to. */
const schemaOf = (type: string): JsonSchema => ({
  $defs: { id: { type } },
  properties: { id: { $ref: '#/$defs/id' } },
});

const WORKSPACE = path.join(import.meta.dirname, '../..');
const require = createRequire(import.meta.url);
const compiler = path.join(path.dirname(require.resolve('typescript/package.json')), 'bin/tsc');

/** What the compiler says of files, by name. */
async function compile(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(path.join(WORKSPACE, 'tests/.types-'));
  try {
    await Promise.all([...files].map(([name, text]) => writeFile(path.join(folder, name), text)));
    const flags = ['--noEmit', '--strict', '--pretty', 'false', '--ignoreConfig'];
    const target = ['--target', 'esnext', '--module', 'esnext', '--types', 'node'];
    const args = [compiler, ...flags, ...target, ...files.keys()];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

function programOf({ schema, good = [], bad = [] }: TypeCase): string {
  return [
    typesOf({ inputSchema: schema }),
    ...good.map((value) => `void a(${value});`),
    ...bad.map((value) => `// @ts-expect-error -- not of the type\nvoid a(${value});`),
    'export {};\n',
  ].join('\n');
}

describe('the types of tools', () => {
  test.each(TYPE_CASES)('$what', ({ schema, type }) => {
    expect(typesOf({ inputSchema: schema })).toContain(
      `function a(args: ${type}): Promise<unknown>;`,
    );
  });

  describe('for the TypeScript compiler', () => {
    let complaints: string;
    beforeAll(async () => {
      complaints = await compile(
        new Map([
          ...TYPE_CASES.map((each, index) => [`case-${index}.ts`, programOf(each)] as const),
          ['wrong.ts', 'const n: number = "a";\nexport { n };\n'],
        ]),
      );
    });

    test('say which values fit, and which do not', () => {
      const lines = complaints.trim().split('\n');
      // The one mistake that was put there shows that the compiler has looked.
      expect(lines).toEqual([expect.stringContaining('wrong.ts(1,7): error TS2322')]);
    });
  });

  test('are functions, and methods of groups', () => {
    const types = typesOf(
      { name: 'score', description: 'How good it is.', source: '' },
      { name: 'orders.total', outputSchema: { type: 'number' }, source: '' },
      { name: 'orders.archive.find', source: '' },
      { name: 'orders.delete', source: '' },
    );
    expect(types).toBe(`\
/** How good it is. */
declare function score(args?: unknown): Promise<unknown>;

declare const orders: {
  total(args?: unknown): Promise<number>;
  archive: {
    find(args?: unknown): Promise<unknown>;
  };
  delete(args?: unknown): Promise<unknown>;
};
`);
  });

  test('keep descriptions, and say in tags what a type cannot', () => {
    const inputSchema = z.object({
      id: z.int().min(1).describe('Number of the order.'),
      mail: z.email().default('a@b.c'),
      lines: z
        .array(z.object({ sku: z.string().max(9).describe('Article.\nAs printed.') }))
        .min(1)
        .describe('What was bought.'),
      plain: z.boolean(),
    });
    const description = 'Adds an order.\n\nOnce only.';
    const types = typesOf({ description, inputSchema: inputSchema.describe('The order.') });
    expect(types).toBe(`\
/**
 * Adds an order.
 *
 * Once only.
 * @param args The order.
 */
declare function a(args: {
  /**
   * Number of the order.
   * @type integer
   * @minimum 1
   */
  id: number;
  /**
   * @default a@b.c
   * @format email
   */
  mail?: string;
  /**
   * What was bought.
   * @minItems 1
   */
  lines: Array<{
    /**
     * Article.
     * As printed.
     * @maxLength 9
     */
    sku: string;
  }>;
  plain: boolean;
}): Promise<unknown>;
`);
  });

  test('no description ends its comment', async () => {
    const hostile = '*/ declare const evil: 1; /*';
    const types = typesOf({
      description: `${hostile}\r${hostile}\u2028// ${hostile}`,
      inputSchema: {
        description: hostile,
        properties: {
          a: { description: hostile, default: hostile, type: 'string' },
          b: { oneOf: [{ description: `\n${hostile}`, const: 1 }] },
        },
      },
    });
    const program = `${types}\n// @ts-expect-error -- it is not there\nvoid evil;\nexport {};\n`;
    expect(await compile(new Map([['hostile.ts', program]]))).toBe('');
  });

  test('tools with definitions of one name do not mix them up', async () => {
    const types = typesOf(
      { name: 'a.b', inputSchema: schemaOf('string'), source: '' },
      { name: 'a_b', inputSchema: schemaOf('number'), source: '' },
    );
    const program = `${types}\nvoid a.b({ id: 'x' });\nvoid a_b({ id: 1 });\nexport {};\n`;
    expect(await compile(new Map([['names.ts', program]]))).toBe('');
  });
});
