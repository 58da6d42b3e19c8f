import type { ServerContext } from '@modelcontextprotocol/server';

import type { CallContext } from '../service/service.ts';

/** Tells a client that asks for progress of each line of log, and of each tool that was called. */
export function progressOf(
  contextNow: () => ServerContext | undefined,
): Pick<CallContext, 'onLog' | 'onEvent' | 'onPlanEvent'> {
  let progress = 0;
  const tell = (message: string): void => {
    const request = contextNow()?.mcpReq;
    // oxlint-disable-next-line no-underscore-dangle -- The protocol calls it so.
    const progressToken = request?._meta?.progressToken;
    if (request === undefined || progressToken === undefined) return;
    const params = { progressToken, progress: ++progress, message };
    // A client that is gone has its call aborted: what it is not told does not matter.
    request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return {
    onLog: ({ text }) => tell(text),
    onEvent: (event) => {
      if (event.type === 'tool.end') tell(`${event.tool}: ${event.kind ?? 'ok'}`);
    },
    onPlanEvent: ({ type, payload }) => {
      if (type === 'plan.commit') {
        tell(`revision ${payload.revision}: ${payload.steps.length} steps`);
      } else if (type === 'step.end') {
        tell(`step ${payload.stepId}: ${payload.error ?? payload.outcome}`);
      }
    },
  };
}
