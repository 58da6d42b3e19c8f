import type { ServerContext } from '@modelcontextprotocol/server';

import type { CallContext } from '../service/service.ts';

/**
 * Callbacks that send progress to a client that asked for it: log entries, ended tool calls, and
 * the plans and steps of sessions.
 */
export function progressOf(
  currentContext: () => ServerContext | undefined,
): Pick<CallContext, 'onLog' | 'onEvent' | 'onPlanEvent'> {
  let progress = 0;
  const send = (message: string): void => {
    const request = currentContext()?.mcpReq;
    // oxlint-disable-next-line no-underscore-dangle -- The name in the protocol.
    const progressToken = request?._meta?.progressToken;
    if (request === undefined || progressToken === undefined) return;
    const params = { progressToken, progress: ++progress, message };
    // If the client has disconnected, its call is aborted, and the lost progress does not matter.
    request.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  return {
    onLog: ({ text }) => send(text),
    onEvent: (event) => {
      if (event.type === 'tool.end') send(`${event.tool}: ${event.kind ?? 'ok'}`);
    },
    onPlanEvent: ({ type, payload }) => {
      if (type === 'plan.commit') {
        send(`revision ${payload.revision}: ${payload.steps.length} steps`);
      } else if (type === 'step.end') {
        send(`step ${payload.stepId}: ${payload.error ?? payload.outcome}`);
      }
    },
  };
}
