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

/** How long to wait for more questions after the first one, in milliseconds. */
const MORE_QUESTIONS_MS = 50;

/** The request that waits for a call. */
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
  /** The request that waits now; undefined while a person answers. */
  readonly context: () => ServerContext | undefined;
}

/**
 * One call that spans several requests. In the 2026 protocol a server cannot send requests to its
 * client: it ends the request with questions, and the client repeats the request with the answers.
 * Between the requests the call keeps running, and waits where its tools wait for approval.
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
    // While a person answers, no request waits for the result: a rejection must not be unhandled.
    this.#result.catch(() => undefined);
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Waits until the call has ended or has questions. */
  async next({ context, signal }: Round): Promise<CallToolResult | 'asking'> {
    const onAbort = (): void => this.abort(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    this.#context = context;
    try {
      for (;;) {
        const result = await Promise.race([this.#result, this.#asked.promise]);
        if (result !== undefined) return result;
        // Parallel branches ask at nearly the same time: send their questions together.
        await delay(MORE_QUESTIONS_MS);
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

  /** Settles the questions that the client answered; the others are asked again. */
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

/** Calls that wait for a person, by the `requestState` that their clients send back. */
export class Rounds {
  readonly #waiting = new Map<string, Waiting>();

  /**
   * Checks the state of a request before the request is handled.
   *
   * @throws Error if no call waits for this state.
   */
  readonly verify = (state: string): void => {
    if (!this.#waiting.has(state)) throw new Error('No call waits for this requestState.');
  };

  /**
   * Starts a call, or continues the call that the request refers to.
   *
   * @returns Undefined if the request refers to a call of another tool.
   */
  async handle(
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
    // Random and valid only once, so it needs no signature.
    const key = randomUUID();
    const timer = setTimeout(() => {
      this.#waiting.delete(key);
      call.abort(new Error('There was no answer in time.'));
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
