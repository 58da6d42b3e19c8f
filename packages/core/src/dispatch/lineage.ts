import type { ToolContext } from '../executor/run-tools.ts';
import type { CallBudget } from './dispatch-request.ts';
import type { Trace } from './telemetry.ts';
import type { Approve } from './tool-approval.ts';

/** What a dispatch hands down to those that are made within it. */
export interface Lineage {
  /** The tools that are under way, the outermost first. */
  readonly tools: readonly string[];
  readonly budget: CallBudget | undefined;
  /** Who is asked in place of the one whom the dispatcher asks. */
  readonly approve: Approve | undefined;
  /** The span of the call: what a guest calls comes from a pipe, in no context of this process. */
  readonly trace: Trace | undefined;
}

// Beside the context, not in it: a tool must not be able to make one up.
const lineages = new WeakMap<ToolContext, Lineage>();

export function lineageOf(context: ToolContext | undefined): Lineage | undefined {
  return context === undefined ? undefined : lineages.get(context);
}

export function withLineage(context: ToolContext, lineage: Lineage): ToolContext {
  lineages.set(context, lineage);
  return context;
}
