import type { ToolContext } from '../executor/run-tools.ts';
import { lineageOf, withLineage } from './lineage.ts';

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
