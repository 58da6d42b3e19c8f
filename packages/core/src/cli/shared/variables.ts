import { readFile } from 'node:fs/promises';

import { parseJsonOrSafe } from './parse-value.ts';

/** Reads variables from a file of JSON or `safe:` text, and from `name=value` pairs. */
export async function readVariables(
  file: string | undefined,
  pairs: readonly string[],
): Promise<Record<string, unknown>> {
  const variables = file === undefined ? {} : await readVariablesFile(file);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1) throw new Error(`--var ${pair}: write it as name=value.`);
    // Assignment would run the setter of `__proto__`, and the name would be lost without an error.
    Object.defineProperty(variables, pair.slice(0, at), {
      value: parseValue(pair.slice(at + 1)),
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
  return variables;
}

async function readVariablesFile(file: string): Promise<Record<string, unknown>> {
  const text = await readFile(file, 'utf8');
  let value: unknown;
  try {
    value = parseJsonOrSafe(text);
  } catch (cause) {
    throw new Error(`${file} holds neither JSON nor safe: text.`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${file} must hold an object with the variables by name.`);
  }
  return { ...value };
}

/** Parses JSON; returns the text itself if it is not JSON. */
function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
