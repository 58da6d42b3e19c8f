import { serialize } from '@glovebox/serializer/safe';

import { renderValue } from '../../code-mode/render-outcome.ts';

/** Whether JSON represents a value exactly. */
export function isJson(value: unknown): boolean {
  try {
    return serialize(value) === `safe:${JSON.stringify(value)}`;
  } catch {
    // `JSON.stringify` throws, for example for a BigInt.
    return false;
  }
}

/** A value for a framework that converts it to JSON: text if JSON would lose information. */
export function toJsonOrText(value: unknown): unknown {
  return isJson(value) ? value : renderValue(value, Infinity);
}

/** A value as text, for a framework whose models read only text. */
export function toModelText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isJson(value) ? JSON.stringify(value) : renderValue(value, Infinity);
}
