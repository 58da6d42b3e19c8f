import { isGather, singleStepsOf } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';

/** Stands in arguments for the result of an earlier step, or for a part of it. */
export interface ResultReference {
  /** Id of the step, or of the gather. */
  readonly $result: number;
  /** JSON pointer into the result, such as `/rows/0/name`; the whole by default. */
  readonly path?: string;
}

/** A reference that is malformed, or that names nothing. */
export class ReferenceFault extends Error {
  override readonly name = 'ReferenceFault';
}

const POINTER = /^(?:\/(?:[^~]|~[01])*)?$/;

/**
 * Whether every reference names a step that will be done when its own step begins.
 *
 * @param known Ids of the results that there are already.
 * @returns The first fault.
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
            return `Step ${id} refers to the result of step ${$result}, which is not done by then.`;
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
 * Arguments with every reference replaced by what it stands for. What is put in is not searched
 * again: a result cannot refer to another one.
 *
 * @throws {ReferenceFault} There is no such result, or nothing at the path.
 */
export function resolveReferences(args: unknown, results: ReadonlyMap<number, unknown>): unknown {
  if (Array.isArray(args)) return args.map((item) => resolveReferences(item, results));
  if (!isRecord(args)) return args;
  const special = readSpecial(args);
  if (special === undefined) {
    // `fromEntries` defines properties, so that a key named __proto__ stays a key.
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
  if (within.has(value)) throw new ReferenceFault('They contain themselves.');
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
    if (keys.length > 1) throw new ReferenceFault('$literal stands beside other keys.');
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
  // Checked above: `isInteger` is true of numbers only.
  return { $result: $result as number, ...(path === undefined ? {} : { path }) };
}

function follow(result: unknown, path: string, stepId: number): unknown {
  let value = result;
  for (const escaped of path.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    const isContainer = Array.isArray(value) || isRecord(value);
    // An item or a property, and not the length of an array.
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
