import { randomUUID } from 'node:crypto';

import { serialize } from '@glovebox/serializer/safe';
import { z } from 'zod';

import type { ToolDispatcher } from '../dispatch/dispatcher.ts';
import { abortSignal, callback, having } from '../shared/check-options.ts';
import type { DecideInFlight } from './in-flight.ts';
import type { ApprovePlan } from './plan-approval.ts';
import type { PlanEvent } from './plan-events.ts';
import type { PlanStep } from './plan-steps.ts';
import type { Planner } from './planner.ts';
import { sessionIdSchema } from './session-log.ts';
import type { SessionStore } from './session-log.ts';

/** Options of an agent. */
export interface PlanExecuteAgentOptions {
  readonly planner: Planner;
  /** Carries out the steps. */
  readonly dispatcher: ToolDispatcher;
  /** Calls in a session, over all of its plans; 12 by default. Each branch of a gather counts. */
  readonly maxSteps?: number | undefined;
  /** Times that the planner is asked again; 5 by default. */
  readonly maxReplans?: number | undefined;
  /** Branches of a gather under way at once, unless it says so itself; 8 by default. */
  readonly concurrency?: number | undefined;
  /** Where sessions are kept; without it they cannot be resumed. */
  readonly store?: SessionStore | undefined;
  /** Asks a person about every plan before it is in force; without it none is asked. */
  readonly approve?: ApprovePlan | undefined;
  /**
   * Decides, when a session is resumed, about steps that were under way and that do harm twice;
   * without it they fail.
   */
  readonly decideInFlight?: DecideInFlight | undefined;
  /** The time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
  /** Names new sessions; random UUIDs by default. */
  readonly newSessionId?: (() => string) | undefined;
}

/** What one run of a session may bring. */
export interface PlanSessionOptions {
  /** Stops the session: a guest is stopped at once, and what is kept can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event, after it is written. */
  readonly onEvent?: ((event: PlanEvent) => void) | undefined;
  /** In place of the agent's own. */
  readonly approve?: ApprovePlan | undefined;
  /** In place of the agent's own. */
  readonly decideInFlight?: DecideInFlight | undefined;
}

export interface NewPlanSessionOptions extends PlanSessionOptions {
  /** Letters, digits, `.`, `_` and `-`; at most 128, none of `.` and `-` at the front. */
  readonly sessionId?: string | undefined;
  /** Data that is kept with the session; results and replays have it. */
  readonly metadata?: unknown;
}

export interface ForkOptions extends NewPlanSessionOptions {
  /** What is done in place of the steps from there on; the same steps by default. */
  readonly plan?: readonly PlanStep[] | undefined;
}

const data = z.unknown().refine((value) => {
  try {
    serialize(value);
    return true;
  } catch {
    return false;
  }
}, 'must be data');

export const agentOptionsSchema = z.strictObject({
  planner: callback<Planner>(),
  dispatcher: having<ToolDispatcher>('dispatch', 'a Dispatcher'),
  maxSteps: z.int().min(0).default(12),
  maxReplans: z.int().min(0).default(5),
  concurrency: z.int().min(1).default(8),
  store: having<SessionStore>('open', 'a SessionStore').optional(),
  approve: callback<ApprovePlan>().optional(),
  decideInFlight: callback<DecideInFlight>().optional(),
  now: callback<() => number>().default(() => Date.now),
  newSessionId: callback<() => string>().default(() => randomUUID),
});

const session = {
  signal: abortSignal.optional(),
  onEvent: callback<NonNullable<PlanSessionOptions['onEvent']>>().optional(),
  approve: callback<ApprovePlan>().optional(),
  decideInFlight: callback<DecideInFlight>().optional(),
};

export const planSessionOptionsSchema = z.strictObject(session);

export const newSessionOptionsSchema = z.strictObject({
  ...session,
  sessionId: sessionIdSchema.optional(),
  metadata: data.optional(),
});

export const forkOptionsSchema = z.strictObject({
  ...session,
  sessionId: sessionIdSchema.optional(),
  metadata: data.optional(),
  plan: z.custom<readonly PlanStep[]>((value) => Array.isArray(value)).optional(),
});
