import type { ToolContext } from '../executor/run-tools.ts';
import { lineageOf, withLineage } from './lineage.ts';

/**
 * Creates the context for a call of a guest that itself runs for an outer call. A wait for a person
 * pauses the clocks of both calls, and the nested call inherits the lineage of the outer one.
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
