import { toTaggedJson } from '../shared/tagged-json.ts';
import type { PlanDiff } from './diff.ts';
import type { PlanEvent, PlanEventPayloads } from './plan-events.ts';
import { isGather, toolNameOf } from './plan-steps.ts';
import type { PlanStep } from './plan-steps.ts';
import type { StepRecord } from './step-records.ts';

/** A session as JSON: names in snake_case, times in seconds, values as tagged JSON. */
export interface SessionJson {
  readonly session_id: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string | null;
  readonly history: readonly StepJson[];
  readonly revisions: readonly Record<string, unknown>[];
  readonly events: readonly EventJson[];
}

interface StepJson {
  readonly id: number;
  readonly tool: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly error: string | null;
}

interface EventJson {
  readonly type: string;
  readonly payload: Record<string, unknown>;
  readonly ts: number;
}

/** The data for the JSON of a session. */
type SessionData = PlanEventPayloads['session.complete'] & {
  readonly history: readonly StepRecord[];
  readonly revisions: readonly PlanDiff[];
  readonly events: readonly PlanEvent[];
};

export function sessionJson(sessionId: string, session: SessionData): SessionJson {
  const { status, reason, message = null, history, revisions, events } = session;
  return {
    session_id: sessionId,
    status,
    reason,
    message,
    history: history.map(({ id, toolName, args, result, error }) => ({
      id,
      tool: toolName,
      args: toTaggedJson(args),
      result: toTaggedJson(result ?? null),
      error,
    })),
    revisions: revisions.map((diff) => toSnakeCase(diff)),
    events: events.map(eventJson),
  };
}

/** An event in the JSON form of a session. */
export function eventJson({ type, payload, ts }: PlanEvent): EventJson {
  const {
    steps,
    toolName,
    signature: _hash,
    ...rest
  } = {
    steps: undefined,
    toolName: undefined,
    signature: undefined,
    ...payload,
  };
  return {
    type,
    payload: {
      ...toSnakeCase(rest),
      ...(toolName === undefined ? {} : { tool: toolName }),
      ...(steps === undefined ? {} : { steps: steps.map(stepJson) }),
    },
    ts: ts / 1000,
  };
}

function stepJson(step: PlanStep): Record<string, unknown> {
  const outcome = step.expectedOutcome ?? '';
  return isGather(step)
    ? { id: step.id, tool: 'gather', outcome, branches: step.gather.map(stepJson) }
    : { id: step.id, tool: toolNameOf(step), outcome };
}

/** Converts property names to snake_case, and leaves out undefined properties. */
function toSnakeCase(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        DATA_PROPERTIES.has(name) ? toTaggedJson(value) : jsonOf(value),
      ]),
  );
}

/** Properties with data of tools and planners: names inside them are not converted. */
const DATA_PROPERTIES: ReadonlySet<string> = new Set(['result', 'details']);

function jsonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonOf);
  return typeof value === 'object' && value !== null ? toSnakeCase(value) : value;
}
