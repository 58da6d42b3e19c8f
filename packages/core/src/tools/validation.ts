import type { JsonSchema } from './definition.ts';

/** One way in which a value does not fit a schema. */
export interface SchemaFault {
  /** JSON pointer to the part of the value at fault; `/` is the whole. */
  readonly path: string;
  /**
   * What it breaks: the keyword of a JSON Schema, such as `required`, or what the library of a
   * Standard Schema calls it, such as `invalid_type`.
   */
  readonly keyword: string;
  readonly message: string;
}

/** A value as its schema made it, or what is wrong with it. */
export type Validation =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly faults: readonly SchemaFault[] };

/** A schema that is ready for use. */
export interface CompiledSchema {
  readonly jsonSchema: JsonSchema;
  /** Throws, or rejects, only with what a Standard Schema's own functions throw. */
  readonly validate: (value: unknown) => Validation | Promise<Validation>;
}

// A guest can make a million faults, each with a path of a million characters.
const MAX_FAULTS = 50;
const MAX_TEXT = 500;

/** The answer to a value that does not fit: its faults, no more than are of use. */
export function refusal<Issue>(
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
