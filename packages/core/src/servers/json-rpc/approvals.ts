import { randomUUID } from 'node:crypto';

import { z } from 'zod';

import type { ApprovalDecision, Approve } from '../../dispatch/tool-approval.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';

/** A person is asked within this time, in milliseconds; then the answer is no. */
const ANSWER_MS = 10 * 60_000;

export const answerSchema = z.strictObject({
  approval: z.string(),
  decision: z.enum(['approve', 'deny', 'edit']),
  reason: z.string().optional(),
  args: z.unknown().optional(),
});

/**
 * Questions that wait for the answers of clients. Each has a name that nobody can guess: the answer
 * comes as a request of its own, over HTTP on another connection.
 */
export class Approvals {
  readonly #waiting = new Map<string, (decision: ApprovalDecision) => void>();

  /** Asks a client by a notification. */
  by(notify: (question: object) => void): Approve {
    return ({ tool, description, args, within }, { signal }) => {
      const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
      const approval = randomUUID();
      const timer = setTimeout(() => {
        this.#settle(approval, { decision: 'deny', reason: 'nobody answered in time' });
      }, ANSWER_MS).unref();
      this.#waiting.set(approval, (decision) => {
        clearTimeout(timer);
        resolve(decision);
      });
      const giveUp = (): void => {
        this.#settle(approval, { decision: 'deny', reason: 'the call has ended' });
      };
      signal.addEventListener('abort', giveUp, { once: true });
      notify({ approval, tool, description, args: toTaggedJson(args), within });
      return promise;
    };
  }

  /** Takes an answer; false where no question of that name waits, or not any more. */
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
