import { GloveboxError, ToolRegistry } from '@glovebox/core';
import type { AnyTool } from '@glovebox/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

const noop = (): void => undefined;

/** The code and path of what registering throws. */
function refusalOf(definition: unknown, registry = new ToolRegistry()): unknown[] {
  try {
    registry.register(definition as AnyTool);
  } catch (error) {
    if (error instanceof GloveboxError) return [error.code, error.path];
    throw error;
  }
  throw new Error('It was taken.');
}

describe('a registry', () => {
  test('returns a record of each tool and lists them', () => {
    const registry = new ToolRegistry();
    const description = 'The total of an order.';
    const inputSchema = { type: 'object', properties: { id: { type: 'integer' } } };
    const total = registry.register({
      name: 'orders.total',
      description,
      inputSchema,
      execute: noop,
    });
    const score = registry.register({ name: 'score', source: 'return a * 2' });

    expect(total).toMatchObject({ name: 'orders.total', description });
    expect(total.inputJsonSchema).toEqual(inputSchema);
    expect(total.outputJsonSchema).toBeUndefined();
    expect(registry.names).toEqual(['orders.total', 'score']);
    expect(registry.list()).toEqual([total, score]);
    expect(registry.get('score')).toBe(score);
    expect(registry.find('score')).toBe(score);
  });

  test('refuses a name that it has, unless told to override', () => {
    const registry = new ToolRegistry();
    const first = registry.register({ name: 'a', execute: noop });
    expect(refusalOf({ name: 'a', execute: noop }, registry)).toEqual(['DUPLICATE_TOOL', 'name']);
    expect(registry.get('a')).toBe(first);
    const second = registry.register({ name: 'a', execute: noop }, { override: true });
    expect(registry.list()).toEqual([second]);
  });

  test('a refused override leaves the tool as it was', () => {
    const registry = new ToolRegistry();
    const first = registry.register({ name: 'a', execute: noop });
    const broken = { name: 'a', inputSchema: { type: 'tuple' }, execute: noop };
    expect(() => registry.register(broken, { override: true })).toThrow('inputSchema');
    expect(registry.get('a')).toBe(first);
  });

  test('says that it does not know a tool', () => {
    const registry = new ToolRegistry();
    expect(registry.find('toString')).toBeUndefined();
    expect(() => registry.get('toString')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_TOOL' }),
    );
  });

  test('neither a later change of a definition nor of its schema reaches it', () => {
    const registry = new ToolRegistry();
    const inputSchema = { type: 'string', enum: ['a'] };
    const definition = { name: 'a', description: 'old', inputSchema, execute: noop };
    const tool = registry.register(definition);
    definition.description = 'new';
    inputSchema.enum.push('b');
    expect(tool.description).toBe('old');
    expect(tool.definition.description).toBe('old');
    expect(tool.inputJsonSchema).toEqual({ type: 'string', enum: ['a'] });
    expect(tool.validateInput('b')).toMatchObject({ ok: false });
  });

  test('arguments have the type of the schema', () => {
    new ToolRegistry().register({
      name: 'a',
      inputSchema: z.object({ id: z.number(), since: z.date().default(new Date(0)) }),
      execute: (args, { signal }) => {
        expectTypeOf(args).toEqualTypeOf<{ id: number; since: Date }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      },
    });
  });
});

describe('a name', () => {
  test.each(['a', 'a1', 'a_b', 'orders.total', 'a.b.c', 'orders.delete', 'a.console'])(
    '%s is taken',
    (name) => {
      expect(new ToolRegistry().register({ name, execute: noop }).name).toBe(name);
    },
  );

  test.each([
    ['empty', ''],
    ['in upper case', 'Total'],
    ['in camel case', 'fetchPage'],
    ['with a digit first', '1a'],
    ['with an underscore first', '_a'],
    ['with a hyphen', 'a-b'],
    ['with a space', 'a b'],
    ['with a dot first', '.a'],
    ['with a dot last', 'a.'],
    ['with two dots', 'a..b'],
    ['with a line after it', 'a\n'],
    ['of a word of the language', 'delete'],
    ['of a group that is a word of the language', 'new.order'],
    ['of a global', 'console'],
    ['of a group that is a global', 'console.log'],
    ['of all tools', 'tools'],
    ['that makes a promise of the tools', 'then'],
    ['that makes a promise of a group', 'orders.then'],
    ['of a group that is then', 'orders.then.more'],
    ['constructor', 'constructor'],
    ['with a constructor', 'orders.constructor'],
    ['__proto__', '__proto__'],
    ['with __proto__', 'orders.__proto__'],
    ['that is too long', 'a'.repeat(257)],
    ['with too many parts', 'a.'.repeat(100_000)],
  ])('%s is refused', (_what, name) => {
    expect(refusalOf({ name, execute: noop })[0]).toBe('INVALID_NAME');
  });

  test.each([
    ['orders', 'orders.total'],
    ['orders.total', 'orders'],
    ['a.b.c', 'a'],
    ['a.b', 'a.b.c'],
  ])('%s leaves no room for %s', (taken, name) => {
    const registry = new ToolRegistry();
    registry.register({ name: taken, execute: noop });
    expect(refusalOf({ name, execute: noop }, registry)).toEqual(['INVALID_NAME', 'tools']);
  });

  test('names that only begin alike stand side by side', () => {
    const registry = new ToolRegistry();
    for (const name of ['order', 'orders', 'order_s.a']) registry.register({ name, execute: noop });
    expect(registry.names).toEqual(['order', 'orders', 'order_s.a']);
  });
});

describe('a definition', () => {
  test.each([
    ['no object', 7, ''],
    ['no name', { execute: noop }, 'name'],
    ['neither function nor source', { name: 'a' }, 'execute'],
    ['function and source', { name: 'a', execute: noop, source: '' }, ''],
    ['a source that is no text', { name: 'a', source: noop }, 'source'],
    ['a time without end', { name: 'a', execute: noop, timeoutMs: Infinity }, 'timeoutMs'],
    ['a limit that is none', { name: 'a', source: '', limits: { wallMs: 0 } }, 'limits.wallMs'],
    ['a schema that is text', { name: 'a', execute: noop, inputSchema: 'string' }, 'inputSchema'],
    ['approval that is text', { name: 'a', execute: noop, needsApproval: 'yes' }, 'needsApproval'],
    ['an unknown property', { name: 'a', execute: noop, parameters: {} }, ''],
    ['tools for a trusted tool', { name: 'a', execute: noop, uses: ['b'] }, ''],
  ])('with %s is refused', (_what, definition, path) => {
    expect(refusalOf(definition)).toEqual(['INVALID_OPTIONS', path]);
  });
});
