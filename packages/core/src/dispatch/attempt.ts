import type { LogEntry } from '../executor/outcome.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import { WallClock } from '../executor/wall-clock.ts';
import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { TrustedTool } from '../tools/definition.ts';
import { failureOf } from './checks.ts';
import type { ToolResult } from './checks.ts';
import { withLineage } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { isTransient } from './transient-error.ts';

/** The parts of a call that one attempt needs. */
export interface AttemptCall {
  readonly dispatchId: number;
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  /** Time limit of the attempt from the request, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly pause: PauseWallClock;
  readonly lineage: Lineage;
}

/** The result of one attempt. */
export type AttemptResult = ToolResult & { readonly logs?: readonly LogEntry[] };

/** The result of a call whose signal was aborted. */
export const ABORTED_RESULT = {
  ok: false,
  failure: { kind: 'aborted', message: 'The call was aborted.' },
} as const satisfies AttemptResult;

/**
 * Calls the function of a trusted tool once. Its signal is aborted when the time is up or the caller
 * aborts. The attempt ends at that moment, even if the function ignores the signal; its later result
 * is ignored. Never rejects.
 */
export function attemptTrusted(
  { name, execute }: TrustedTool,
  { dispatchId, args, idempotencyKey, signal, pause, lineage }: AttemptCall,
  timeoutMs: number,
): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const settle = (result: AttemptResult): void => {
      clock.stop();
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const onAbort = (): void => {
      settle(ABORTED_RESULT);
      controller.abort(signal?.reason);
    };
    const clock = new WallClock(timeoutMs, () => {
      const message = `${name} took longer than ${timeoutMs} ms.`;
      settle({ ok: false, failure: { kind: 'timeout', message } });
      controller.abort(new DOMException(message, 'TimeoutError'));
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    const context: ToolContext = {
      signal: controller.signal,
      tool: name,
      callId: dispatchId,
      pauseWallClock: (wait) => clock.pauseDuring(() => pause(wait)),
      idempotencyKey,
    };
    // The async function turns a synchronous throw into a rejection. If `settle` is called more than
    // once, the first call counts, because a promise settles only once.
    (async () => execute(args as never, withLineage(context, lineage)))().then(
      (value: unknown) => settle({ ok: true, value }),
      (thrown: unknown) => {
        const kind = isTransient(thrown) ? 'transient' : 'internal';
        settle({ ok: false, failure: failureOf(thrown, '', kind) });
      },
    );
  });
}
