import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { ApprovalDecision, Approve } from '../../dispatch/tool-approval.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';

/** Time for a client to answer, in milliseconds; after it the call is denied. */
const ANSWER_MS = 10 * 60_000;

export const answerSchema = z.strictObject({
  approval: z.string(),
  decision: z.enum(['approve', 'deny', 'edit']),
  reason: z.string().optional(),
  args: z.unknown().optional(),
});

/**
 * Approval questions that wait for an answer of their client. Each has a random, unguessable id,
 * because the answer is a separate request, which over HTTP uses another connection.
 */
export class Approvals {
  readonly #waiting = new Map<string, (decision: ApprovalDecision) => void>();

  /** An `approve` function that asks a client by a notification. */
  approveBy(notify: (question: object) => void): Approve {
    return ({ tool, description, args, within }, { signal }) => {
      const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
      const approval = randomUUID();
      const timer = setTimeout(() => {
        this.#settle(approval, { decision: 'deny', reason: 'there was no answer in time' });
      }, ANSWER_MS).unref();
      this.#waiting.set(approval, (decision) => {
        clearTimeout(timer);
        resolve(decision);
      });
      const onAbort = (): void => {
        this.#settle(approval, { decision: 'deny', reason: 'the call has ended' });
      };
      signal.addEventListener('abort', onAbort, { once: true });
      notify({ approval, tool, description, args: toTaggedJson(args), within });
      return promise;
    };
  }

  /** Settles a question with an answer; false if no question with this id is waiting. */
  answer({ approval, decision, reason, args }: z.output<typeof answerSchema>): boolean {
    switch (decision) {
      case 'approve':
        return this.#settle(approval, { decision });
      case 'deny':
        return this.#settle(approval, { decision, reason });
      case 'edit':
        return this.#settle(approval, { decision, args });
    }
  }

  #settle(approval: string, decision: ApprovalDecision): boolean {
    const settle = this.#waiting.get(approval);
    if (settle === undefined) return false;
    this.#waiting.delete(approval);
    settle(decision);
    return true;
  }
}
