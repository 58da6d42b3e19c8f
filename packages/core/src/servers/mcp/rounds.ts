import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
} from '@modelcontextprotocol/server';

import type { ApprovalDecision, ApprovalRequest, Approve } from '../../dispatch/tool-approval.ts';
import { ANSWER_MS, decisionOf, questionOf } from './questions.ts';

/** How long further questions are waited for once there is one, in milliseconds. */
const GATHER_MS = 50;

/** What a call is told of the request that waits for it. */
export interface Round {
  readonly context: ServerContext;
  readonly signal: AbortSignal;
}

interface Question {
  readonly request: ApprovalRequest;
  readonly answer: (decision: ApprovalDecision) => void;
}

interface CallHooks {
  readonly signal: AbortSignal;
  readonly approve: Approve;
  /** The request that waits now; undefined while a person is asked. */
  readonly context: () => ServerContext | undefined;
}

/**
 * One call that takes several requests. In the protocol of 2026 a server cannot ask its client
 * anything: it ends the request with questions, and the client sends the same request again with
 * answers. The call goes on meanwhile, waiting where its tools wait.
 */
class RoundsCall {
  readonly tool: string;
  readonly #controller = new AbortController();
  readonly #questions = new Map<string, Question>();
  readonly #result: Promise<CallToolResult>;
  #context: ServerContext | undefined;
  #asked = Promise.withResolvers<void>();
  #count = 0;

  constructor(tool: string, start: (hooks: CallHooks) => Promise<CallToolResult>) {
    this.tool = tool;
    const { signal } = this.#controller;
    this.#result = start({ signal, approve: this.#ask, context: () => this.#context });
    // While a person is asked, nobody waits for it.
    this.#result.catch(() => undefined);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Waits until the call has ended, or has questions. */
  async next({ context, signal }: Round): Promise<CallToolResult | 'asking'> {
    const onAbort = (): void => this.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    this.#context = context;
    try {
      for (;;) {
        const result = await Promise.race([this.#result, this.#asked.promise]);
        if (result !== undefined) return result;
        // Branches that run side by side ask side by side.
        await delay(GATHER_MS);
        if (this.#questions.size > 0) return 'asking';
      }
    } finally {
      this.#context = undefined;
      signal.removeEventListener('abort', onAbort);
    }
  }

  questions(): Record<string, ReturnType<typeof inputRequired.elicit>> {
    return Object.fromEntries(
      [...this.#questions].map(([key, { request }]) => [
        key,
        inputRequired.elicit(questionOf(request)),
      ]),
    );
  }

  /** Takes what a client answered; what it left out is asked again. */
  answer(responses: Record<string, unknown> | undefined): void {
    for (const [key, question] of this.#questions) {
      const response = inputResponse(responses, key);
      if (response.kind !== 'elicit') continue;
      this.#remove(key);
      question.answer(decisionOf(response.action, response.content));
    }
  }

  readonly #ask: Approve = (request, { signal }) => {
    const { promise, resolve } = Promise.withResolvers<ApprovalDecision>();
    const key = `approval-${++this.#count}`;
    this.#questions.set(key, { request, answer: resolve });
    signal.addEventListener('abort', () => this.#remove(key), { once: true });
    this.#asked.resolve();
    return promise;
  };

  #remove(key: string): void {
    this.#questions.delete(key);
    if (this.#questions.size === 0) this.#asked = Promise.withResolvers();
  }
}

interface Waiting {
  readonly call: RoundsCall;
  readonly timer: NodeJS.Timeout;
}

/** The calls that wait for a person, by the state that their clients send back. */
export class Rounds {
  readonly #waiting = new Map<string, Waiting>();

  /**
   * To be asked before a request with such a state is handled.
   *
   * @throws Error No call waits for it, or not any more.
   */
  readonly verify = (state: string): void => {
    if (!this.#waiting.has(state)) throw new Error('No call waits for this.');
  };

  /**
   * Begins a call, or goes on with the one that a request is about.
   *
   * @returns Undefined where the call is that of another tool.
   */
  async take(
    tool: string,
    round: Round,
    start: (hooks: CallHooks) => Promise<CallToolResult>,
  ): Promise<CallToolResult | InputRequiredResult | undefined> {
    const { requestState, inputResponses } = round.context.mcpReq;
    const state = requestState();
    const call = state === undefined ? new RoundsCall(tool, start) : this.#find(state, tool);
    if (call === undefined) return undefined;
    if (state !== undefined) call.answer(inputResponses);
    const next = await call.next(round);
    if (next !== 'asking') return next;
    // Nobody can guess it, and it serves once: it need not be signed.
    const key = randomUUID();
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      call.abort(new Error('Nobody answered in time.'));
    }, ANSWER_MS).unref();
    this.#waiting.set(key, { call, timer });
    return inputRequired({ inputRequests: call.questions(), requestState: key });
  }

  #find(state: unknown, tool: string): RoundsCall | undefined {
    if (typeof state !== 'string') return undefined;
    const waiting = this.#waiting.get(state);
    if (waiting?.call.tool !== tool) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(state);
    return waiting.call;
  }
}
