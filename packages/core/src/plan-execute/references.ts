import { isGather, singleStepsOf } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';

/** Refers, within arguments, to the result of an earlier step or a part of it. */
export interface ResultReference {
  /** Id of the step, or of the gather. */
  readonly $result: number;
  /** JSON pointer into the result, such as `/rows/0/name`; the whole result by default. */
  readonly path?: string;
}

/** A reference is malformed, or does not refer to anything. */
export class ReferenceFault extends Error {
  override readonly name = 'ReferenceFault';
}

const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

/**
 * Checks that every reference refers to a step that is done before the referring step starts.
 *
 * @param known Ids of the results that already exist.
 * @returns The first error as text; undefined if all references are valid.
 */
export function findReferenceFault(
  plan: readonly PlanStep[],
  known: Iterable<number>,
): string | undefined {
  const done = new Set(known);
  for (const step of plan) {
    for (const { id, args } of singleStepsOf(step)) {
      try {
        for (const { $result } of referencesIn(args, new Set())) {
          if (!done.has($result)) {
            return `Step ${id} refers to the result of step ${$result}, which is not done before it.`;
          }
        }
      } catch (fault) {
        if (!(fault instanceof ReferenceFault)) throw fault;
        return `The arguments of step ${id}: ${fault.message}`;
      }
    }
    if (isGather(step)) for (const { id } of step.gather) done.add(id);
    done.add(step.id);
  }
  return undefined;
}

/**
 * Replaces every reference in arguments by its value. Inserted values are not searched for
 * references: a result cannot refer to another result.
 *
 * @throws {ReferenceFault} if the result does not exist, or has nothing at the path.
 */
export function resolveReferences(args: unknown, results: ReadonlyMap<number, unknown>): unknown {
  if (Array.isArray(args)) return args.map((item) => resolveReferences(item, results));
  if (!isRecord(args)) return args;
  const special = readSpecial(args);
  if (special === undefined) {
    // `fromEntries` defines properties, so that `__proto__` becomes an ordinary key.
    return Object.fromEntries(
      Object.entries(args).map(([key, value]) => [key, resolveReferences(value, results)]),
    );
  }
  if ('$literal' in special) return special.$literal;
  const { $result, path = '' } = special;
  if (!results.has($result)) throw new ReferenceFault(`Step ${$result} has no result.`);
  return follow(results.get($result), path, $result);
}

function* referencesIn(value: unknown, within: Set<unknown>): Generator<ResultReference> {
  if (!Array.isArray(value) && !isRecord(value)) return;
  if (within.has(value)) throw new ReferenceFault('They contain a cycle.');
  const special = Array.isArray(value) ? undefined : readSpecial(value);
  if (special !== undefined) {
    if ('$result' in special) yield special;
    return;
  }
  within.add(value);
  for (const part of Object.values(value)) yield* referencesIn(part, within);
  within.delete(value);
}

type Special = ResultReference | { readonly $literal: unknown };

function readSpecial(record: Readonly<Record<string, unknown>>): Special | undefined {
  const keys = Object.keys(record);
  if (Object.hasOwn(record, '$literal')) {
    if (keys.length > 1)
      throw new ReferenceFault('An object with $literal must not have other keys.');
    return { $literal: record['$literal'] };
  }
  if (!Object.hasOwn(record, '$result')) return undefined;
  const { $result, path } = record;
  if (
    !Number.isInteger($result) ||
    !(path === undefined || (typeof path === 'string' && POINTER.test(path))) ||
    keys.some((key) => key !== '$result' && key !== 'path')
  ) {
    throw new ReferenceFault(
      'A reference is { $result: id } or { $result: id, path: "/json/pointer" }; data that looks ' +
        'like one is { $literal: data }.',
    );
  }
  // Checked above: `isInteger` returns true only for numbers.
  return { $result: $result as number, ...(path === undefined ? {} : { path }) };
}

function follow(result: unknown, path: string, stepId: number): unknown {
  let value = result;
  for (const escaped of path.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const isContainer = Array.isArray(value) || isRecord(value);
    // Only items and enumerable properties, not the length of an array.
    if (!isContainer || Object.getOwnPropertyDescriptor(value, key)?.enumerable !== true) {
      throw new ReferenceFault(`The result of step ${stepId} has nothing at ${path}.`);
    }
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
