import { checkToolClashes, checkToolName } from '../executor/guest-names.ts';
import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import { messageOf } from '../shared/message-of.ts';
import { definitionSchemaOf } from './definition.ts';
import type { AnyTool, JsonSchema, ToolSchema, TypedTool } from './definition.ts';
import { compileSchema } from './tool-schema.ts';
import type { CompiledSchema, Validation } from './validation.ts';

export interface RegisterOptions {
  /** Whether to replace a tool of the same name instead of throwing; `false` by default. */
  readonly override?: boolean;
}

/** A tool of a registry. */
export interface RegisteredTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly definition: AnyTool;
  /** Schema of the arguments; undefined if any arguments are accepted. */
  readonly inputJsonSchema: JsonSchema | undefined;
  /** Schema of the result; undefined if it may be anything. */
  readonly outputJsonSchema: JsonSchema | undefined;
  /** Validates arguments and applies transforms. Throws what code of the schema throws. */
  validateInput(value: unknown): Validation | Promise<Validation>;
  /** Validates a result and applies transforms. Throws what code of the schema throws. */
  validateOutput(value: unknown): Validation | Promise<Validation>;
}

const NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*$/;

/** The tools of an application, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  /**
   * Adds a tool. A name is lower-case words with dots between them. The name of a tool cannot be the
   * group of another one: `orders` and `orders.total` exclude each other.
   *
   * @throws {GloveboxError} `INVALID_OPTIONS`, `INVALID_NAME`, `DUPLICATE_TOOL`, `INVALID_SCHEMA`.
   */
  register<Args>(definition: TypedTool<Args>, options?: RegisterOptions): RegisteredTool;
  register(definition: AnyTool, options?: RegisterOptions): RegisteredTool;
  register(given: AnyTool, { override = false }: RegisterOptions = {}): RegisteredTool {
    const definition = checkOptions(definitionSchemaOf(given), given, 'register');
    const { name } = definition;
    this.#checkName(name);
    if (!override && this.#tools.has(name)) {
      throw new GloveboxError('DUPLICATE_TOOL', `There is a tool named ${name} already.`, {
        path: 'name',
      });
    }
    const input = compile(definition, 'input');
    const output = compile(definition, 'output');
    const tool: RegisteredTool = Object.freeze({
      name,
      description: definition.description,
      definition: Object.freeze(definition),
      inputJsonSchema: input?.jsonSchema,
      outputJsonSchema: output?.jsonSchema,
      validateInput: input?.validate ?? accept,
      validateOutput: output?.validate ?? accept,
    });
    this.#tools.set(name, tool);
    return tool;
  }

  /**
   * The tool of a name.
   *
   * @throws {GloveboxError} `UNKNOWN_TOOL`.
   */
  get(name: string): RegisteredTool {
    const tool = this.#tools.get(name);
    if (tool === undefined) {
      throw new GloveboxError('UNKNOWN_TOOL', `There is no tool named ${JSON.stringify(name)}.`);
    }
    return tool;
  }

  /** The tool of a name, or undefined. */
  find(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** All tools, in the order in which their names were first registered. */
  list(): readonly RegisteredTool[] {
    return [...this.#tools.values()];
  }

  get names(): readonly string[] {
    return [...this.#tools.keys()];
  }

  #checkName(name: string): void {
    checkToolName(name);
    if (!NAME.test(name)) {
      const message = `The tool name ${JSON.stringify(name)} must be lower-case words with dots between them.`;
      throw new GloveboxError('INVALID_NAME', message, { path: 'name' });
    }
    checkToolClashes(new Set([...this.#tools.keys(), name]));
  }
}

function accept(value: unknown): Validation {
  return { ok: true, value };
}

function compile(definition: AnyTool, side: 'input' | 'output'): CompiledSchema | undefined {
  const path = `${side}Schema` as const;
  const schema: ToolSchema | undefined = definition[path];
  if (schema === undefined) return undefined;
  try {
    return compileSchema(schema, side);
  } catch (cause) {
    const why = messageOf(cause);
    const message = `The ${path} of ${definition.name} cannot be used: ${why}`;
    throw new GloveboxError('INVALID_SCHEMA', message, { path, cause });
  }
}
