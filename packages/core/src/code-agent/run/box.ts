import type { LimitsInput } from '@glovebox/protocol/limits';

import type { Executor } from '../../executor/executor.ts';
import type { Outcome } from '../../executor/outcome.ts';
import type { Tools } from '../../executor/run-tools.ts';
import type { Session } from '../../executor/session.ts';
import { GloveboxError, isGloveboxError } from '../../shared/errors.ts';

export interface BoxRun {
  readonly outcome: Outcome;
  /** Whether what earlier steps declared is gone, or went with this one. */
  readonly isStateLost: boolean;
}

/** Where the code of an agent runs: a session that is opened anew when its isolate was lost. */
export class AgentBox {
  readonly #executor: Executor;
  readonly #limits: LimitsInput | undefined;
  #variables: Readonly<Record<string, unknown>> = {};
  #session: Session | undefined;

  constructor(executor: Executor, limits: LimitsInput | undefined) {
    this.#executor = executor;
    this.#limits = limits;
  }

  /**
   * Gives variables to the code of all steps to come, beside those that it has.
   *
   * @throws {GloveboxError} `UNSERIALIZABLE_VARIABLES`, `INVALID_OPTIONS` where they are too large;
   * those of `executor.openSession`.
   */
  async give(variables: Readonly<Record<string, unknown>>): Promise<void> {
    if (Object.keys(variables).length === 0) return;
    const before = this.#variables;
    this.#variables = { ...before, ...variables };
    try {
      if (this.#session === undefined) await this.#open();
      else await seed(this.#session, variables);
    } catch (error) {
      this.#variables = before;
      throw error;
    }
  }

  /** Runs the code of a step. Throws as `executor.openSession` and `session.run` do. */
  async run(
    code: string,
    options: { tools: Tools; signal: AbortSignal; filename: string },
  ): Promise<BoxRun> {
    const session = await this.#open();
    const outcome = await session.run({ code, ...options });
    if (outcome.ok || outcome.error.code === 'GUEST_ERROR') return { outcome, isStateLost: false };
    const { code: errorCode, ran } = outcome.error;
    if ((errorCode === 'SESSION_LOST' || errorCode === 'SESSION_UNKNOWN') && ran === 'no') {
      await this.close();
      // Lost between two steps: nothing of this one has run.
      const again = await (await this.#open()).run({ code, ...options });
      return { outcome: again, isStateLost: true };
    }
    const isLost = await this.#isLost(session);
    if (isLost) await this.close();
    return { outcome, isStateLost: isLost };
  }

  /** Ends the session; the next step gets a new one, with the variables that were given. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** Forgets the variables, and what steps declared. */
  async clear(): Promise<void> {
    this.#variables = {};
    await this.close();
  }

  /** Which limits end the isolate is the session's business: it says so when it is asked. */
  async #isLost(session: Session): Promise<boolean> {
    return !(await session.run({ code: '' })).ok;
  }

  async #open(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const session = await this.#executor.openSession(
      this.#limits === undefined ? {} : { limits: this.#limits },
    );
    try {
      await seed(session, this.#variables);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#session = session;
    return session;
  }
}

/** Makes variables globals of the session: values that the code of one step changes stay so. */
async function seed(session: Session, variables: Readonly<Record<string, unknown>>): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  let all = 'given';
  // While it is there, it is a constant: none of them can have its name.
  while (Object.hasOwn(variables, all)) all += '_';
  const code = `Object.assign(globalThis, ${all})`;
  let outcome: Outcome;
  try {
    outcome = await session.run({ code, variables: { [all]: variables } });
  } catch (thrown) {
    if (!isGloveboxError(thrown) || thrown.code !== 'UNSERIALIZABLE_VARIABLES') throw thrown;
    const { message, path = '', cause } = thrown;
    throw new GloveboxError(thrown.code, message, { path: path.slice(all.length + 1), cause });
  }
  if (outcome.ok) return;
  const { error } = outcome;
  const message = `The variables cannot be given to the code: ${error.message}`;
  throw new GloveboxError('INVALID_OPTIONS', message, { path: 'variables', cause: error });
}
