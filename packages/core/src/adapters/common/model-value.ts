import { serialize } from '@glovebox/serializer/safe';

import { renderValue } from '../../code-mode/render-outcome.ts';

/** Whether JSON carries a value exactly. */
export function isJson(value: unknown): boolean {
  try {
    return serialize(value) === `safe:${JSON.stringify(value)}`;
  } catch {
    // A BigInt, for one: JSON throws.
    return false;
  }
}

/** A value for a framework that makes JSON of it: as text where JSON would lose something. */
export function toJsonOrText(value: unknown): unknown {
  return isJson(value) ? value : renderValue(value, Infinity);
}

/** A value for a framework whose models read text alone. */
export function toModelText(value: unknown): string {
  if (typeof value === 'string') return value;
  return isJson(value) ? JSON.stringify(value) : renderValue(value, Infinity);
}
