import type { JsonSchema } from './definition.ts';

/** One violation of a schema by a value. */
export interface SchemaFault {
  /** JSON pointer to the invalid part of the value; `/` is the whole value. */
  readonly path: string;
  /**
   * The violated rule: the keyword of a JSON Schema, such as `required`, or the name that the library
   * of a Standard Schema gives it, such as `invalid_type`.
   */
  readonly keyword: string;
  readonly message: string;
}

/** The result of a validation: the value, possibly transformed by the schema, or its faults. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] };

/** A schema that has been compiled. */
export interface CompiledSchema {
  readonly jsonSchema: JsonSchema;
  /** Throws, or rejects with, only what functions of a Standard Schema throw. */
  readonly validate: (value: unknown) => Validation | Promise<Validation>;
}

// A guest can cause a million faults, each with a path of a million characters.
const MAX_FAULTS = 50;
const MAX_TEXT = 500;

/** The result for an invalid value. Limits the number of faults and the length of their texts. */
export function failedValidation<Issue>(
  issues: readonly Issue[],
  toFault: (issue: Issue) => SchemaFault,
): Validation {
  const faults = issues.slice(0, MAX_FAULTS).map((issue) => {
    const { path, keyword, message } = toFault(issue);
    return { path: shorten(path), keyword, message: shorten(message) };
  });
  return { ok: false, faults };
}

function shorten(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`.toWellFormed();
}

/** A JSON pointer, with `/` for the root. */
export function pointerTo(keys: readonly PropertyKey[]): string {
  return `/${keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
}
