import type { ToolContext } from '../executor/run-tools.ts';
import type { CallBudget } from './dispatch-request.ts';
import type { Trace } from './telemetry.ts';
import type { Approve } from './tool-approval.ts';

/**
 * The *lineage* of a call: the chain of outer calls, and what nested calls inherit from them. A call
 * is nested if it is made by a tool, or by guest code that runs for a tool.
 */
export interface Lineage {
  /** Names of the tools in the chain of calls, the outermost first. */
  readonly tools: readonly string[];
  readonly budget: CallBudget | undefined;
  /** Asks for approval instead of the dispatcher's own `approve`. */
  readonly approve: Approve | undefined;
  /**
   * The span of the call. It is passed explicitly, because calls of a guest arrive through a pipe,
   * outside the async context of the outer call.
   */
  readonly trace: Trace | undefined;
}

// Stored outside the context, so that a tool cannot forge a lineage.
const lineages = new WeakMap<ToolContext, Lineage>();

/** The lineage of a context; undefined if it does not come from a dispatcher. */
export function lineageOf(context: ToolContext | undefined): Lineage | undefined {
  return context === undefined ? undefined : lineages.get(context);
}

/** Attaches a lineage to a context. */
export function withLineage(context: ToolContext, lineage: Lineage): ToolContext {
  lineages.set(context, lineage);
  return context;
}
