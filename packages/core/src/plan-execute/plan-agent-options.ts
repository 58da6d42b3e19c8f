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
  /** Calls the tools of the steps. */
  readonly dispatcher: ToolDispatcher;
  /** Maximum calls in a session, over all its plans; 12 by default. Each gather branch counts. */
  readonly maxSteps?: number | undefined;
  /** Maximum number of times that the planner is asked again after a failure; 5 by default. */
  readonly maxReplans?: number | undefined;
  /** Parallel branches of a gather that has no `concurrency` of its own; 8 by default. */
  readonly concurrency?: number | undefined;
  /** Where sessions are stored; without it they cannot be resumed. */
  readonly store?: SessionStore | undefined;
  /** Asks a person to approve every plan before it takes effect; without it nobody is asked. */
  readonly approve?: ApprovePlan | undefined;
  /**
   * When a session is resumed, decides about steps that were running and are not idempotent.
   * Without it these steps fail.
   */
  readonly decideInFlight?: DecideInFlight | undefined;
  /** Returns the time in milliseconds since 1970; `Date.now` by default. */
  readonly now?: (() => number) | undefined;
  /** Creates ids of new sessions; random UUIDs by default. */
  readonly newSessionId?: (() => string) | undefined;
}

/** Options for running a session. */
export interface PlanSessionOptions {
  /** Stops the session: running code stops at once, and a stored session can be resumed. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each event, after it is written. */
  readonly onEvent?: ((event: PlanEvent) => void) | undefined;
  /** Overrides `approve` of the agent. */
  readonly approve?: ApprovePlan | undefined;
  /** Overrides `decideInFlight` of the agent. */
  readonly decideInFlight?: DecideInFlight | undefined;
}

export interface NewPlanSessionOptions extends PlanSessionOptions {
  /** Up to 128 letters, digits, `.`, `_` and `-`; it must not start with `.` or `-`. */
  readonly sessionId?: string | undefined;
  /** Data that is stored with the session; results and replays contain it. */
  readonly metadata?: unknown;
}

export interface ForkOptions extends NewPlanSessionOptions {
  /** Plan in place of the steps from the fork on; the same steps by default. */
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
