import type { LogEntry } from '../executor/outcome.ts';
import type { ToolContext } from '../executor/run-tools.ts';
import { WallClock } from '../executor/wall-clock.ts';
import type { PauseWallClock } from '../executor/wall-clock.ts';
import type { TrustedTool } from '../tools/definition.ts';
import { failureOf } from './checks.ts';
import type { Checked } from './checks.ts';
import { withLineage } from './lineage.ts';
import type { Lineage } from './lineage.ts';
import { isTransient } from './transient-error.ts';

/** What one attempt is told. */
export interface AttemptCall {
  readonly dispatchId: number;
  readonly args: unknown;
  readonly signal: AbortSignal | undefined;
  /** Time of the attempt as the request has it, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly pause: PauseWallClock;
  readonly lineage: Lineage;
}

/** How one attempt ended. */
export type AttemptEnd = Checked & { readonly logs?: readonly LogEntry[] };

/** The end of a call whose signal has fired. */
export const ABORTED_END = {
  ok: false,
  failure: { kind: 'aborted', message: 'The call was aborted.' },
} as const satisfies AttemptEnd;

/**
 * Calls a function of the host once. Its signal fires when the time is up or the caller gives up;
 * the attempt ends then, whether the function listens or not, and what it does later is not heard.
 * Never rejects.
 */
export function attemptTrusted(
  { name, execute }: TrustedTool,
  { dispatchId, args, idempotencyKey, signal, pause, lineage }: AttemptCall,
  timeoutMs: number,
): Promise<AttemptEnd> {
  return new Promise((resolve) => {
    const controller = new AbortController();
    const end = (ending: AttemptEnd): void => {
      clock.stop();
      signal?.removeEventListener('abort', onAbort);
      resolve(ending);
    };
    const onAbort = (): void => {
      end(ABORTED_END);
      controller.abort(signal?.reason);
    };
    const clock = new WallClock(timeoutMs, () => {
      const message = `${name} took longer than ${timeoutMs} ms.`;
      end({ ok: false, failure: { kind: 'timeout', message } });
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
    // An async function, so that what is thrown at once is a rejection like any other. The first
    // end counts: a promise settles once.
    (async () => execute(args as never, withLineage(context, lineage)))().then(
      (value: unknown) => end({ ok: true, value }),
      (thrown: unknown) => {
        const kind = isTransient(thrown) ? 'transient' : 'internal';
        end({ ok: false, failure: failureOf(thrown, '', kind) });
      },
    );
  });
}
