import type { ToolContext } from '../tools.ts';
import type { CallBudget } from './request.ts';
import type { Trace } from './telemetry.ts';

/** What a dispatch hands down to those that are made within it. */
export interface Lineage {
  /** The tools that are under way, the outermost first. */
  readonly tools: readonly string[];
  readonly budget: CallBudget | undefined;
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

/**
 * The context of a call that a guest makes, where the guest itself runs for an outer call: a wait
 * for a person stops the clocks of both, and the outer call's budget and chain hold.
 */
export function nestContext(inner: ToolContext, outer: ToolContext | undefined): ToolContext {
  if (outer === undefined) return inner;
  const nested: ToolContext = {
    ...inner,
    pauseWallClock: (wait) => inner.pauseWallClock(() => outer.pauseWallClock(wait)),
  };
  const lineage = lineageOf(outer);
  return lineage === undefined ? nested : withLineage(nested, lineage);
}
