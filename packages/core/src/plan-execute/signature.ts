import { createHash } from 'node:crypto';

import { serialize } from '@glovebox/serializer/safe';

import { CODE_TOOL_NAME, isGather } from './plan-steps.ts';
import type { PlanStep, SingleStep } from './plan-steps.ts';

/** A hash of a step's tool or code and its arguments; the order of keys does not matter. */
export function signatureOf(step: SingleStep, args: unknown): string {
  const what =
    'code' in step
      ? [CODE_TOOL_NAME, step.code, step.uses ?? [], step.language ?? 'auto', step.limits ?? {}]
      : [step.toolName];
  return hash([what, args]);
}

/** The hash of a step as planned: references are not resolved. */
export function plannedSignatureOf(step: PlanStep): string {
  return isGather(step)
    ? hash(['gather', step.policy ?? 'all', step.gather.map(({ id }) => id)])
    : signatureOf(step, step.args);
}

function hash(value: unknown): string {
  return createHash('sha256')
    .update(serialize(sortKeys(value)))
    .digest('hex');
}

/** The same data with the keys of plain objects sorted. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sortKeys(part)]),
  );
}
