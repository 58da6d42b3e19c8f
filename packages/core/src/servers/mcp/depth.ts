/** More than values may have; the SDK, and Node 24, cannot write what is nested without bound. */
const MAX_DEPTH = 600;

/** Whether JSON is nested more deeply than any value may be. */
export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((part) => isTooDeep(part, left - 1));
}
