import { PlanExecuteAgent } from '@glovebox/core';
import type {
  AnyTool,
  PlanEvent,
  PlanExecuteAgentOptions,
  Planner,
  PlanStep,
  ToolContext,
  ToolStep,
} from '@glovebox/core';

import { dispatcherOf } from './dispatch.ts';

/** A step of a plan, in few words. */
export function step(id: number, toolName: string, args: unknown = {}): ToolStep {
  return { id, toolName, args, expectedOutcome: `${toolName} is done` };
}

/** A tool, in few words. */
export function tool(
  name: string,
  execute: (args: never, context: ToolContext) => unknown = () => `${name} done`,
  more: Partial<AnyTool> = {},
): AnyTool {
  return { name, ...more, execute };
}

/** A planner with these plans: the first one, and one for each failure; none after them. */
export function planner(...plans: readonly (readonly PlanStep[])[]): Planner & { asked: Asked[] } {
  const asked: Asked[] = [];
  const plan: Planner = (goal, history, lastError, context) => {
    asked.push({ goal, history, lastError, ...context });
    return plans[asked.length - 1] ?? [];
  };
  return Object.assign(plan, { asked });
}

/** What a planner was told. */
type Asked = Parameters<Planner>[3] & {
  readonly goal: string;
  readonly history: Parameters<Planner>[1];
  readonly lastError: string | null;
};

export interface AgentSetup extends Partial<Omit<PlanExecuteAgentOptions, 'dispatcher'>> {
  readonly tools: readonly AnyTool[];
  readonly executor?: Parameters<typeof dispatcherOf>[0]['executor'];
}

/** An agent of these tools, whose clock ticks once an event and whose sessions are counted. */
export function agentOf({ tools, executor, ...options }: AgentSetup): PlanExecuteAgent {
  let time = 0;
  let sessions = 0;
  return new PlanExecuteAgent({
    planner: planner(),
    dispatcher: dispatcherOf({ tools, circuitBreaker: false, executor }),
    now: () => ++time,
    newSessionId: () => `session-${++sessions}`,
    ...options,
  });
}

/** Events in short: their types, and which step they are about. */
export function outline(events: readonly PlanEvent[]): string[] {
  return events.map((event) => {
    switch (event.type) {
      case 'step.start':
      case 'step.cached':
      case 'gather.start':
        return `${event.type} ${event.payload.stepId}`;
      case 'step.end':
      case 'gather.end':
        return `${event.type} ${event.payload.stepId} ${event.payload.outcome}`;
      case 'session.complete':
        return `${event.type} ${event.payload.reason}`;
      case 'plan.approval':
        return `${event.type} ${event.payload.revision} ${event.payload.decision}`;
      case 'plan.draft':
      case 'plan.diff':
      case 'plan.commit':
        return `${event.type} ${event.payload.revision}`;
      case 'session.resume':
        return [
          event.type,
          ...event.payload.inFlight.map(({ stepId, action }) => `${stepId} ${action}`),
        ].join(' ');
    }
  });
}

/** Events of a type. */
export function eventsOf<Type extends PlanEvent['type']>(
  events: readonly PlanEvent[],
  type: Type,
): Extract<PlanEvent, { type: Type }>[] {
  // `Extract` is what the filter leaves.
  return events.filter((event) => event.type === type) as Extract<PlanEvent, { type: Type }>[];
}
