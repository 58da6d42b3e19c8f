/**
 * More than the depth limit of values. A limit is needed because the SDK and Node 24 cannot
 * serialize unbounded nesting.
 */
const MAX_DEPTH = 600;

/** Whether a JSON value is nested more deeply than allowed. */
export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((part) => isTooDeep(part, left - 1));
}
