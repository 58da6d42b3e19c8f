import type { LimitsInput } from '@glovebox/protocol/limits';

import type { Executor } from '../../executor/executor.ts';
import type { Outcome } from '../../executor/outcome.ts';
import type { Tools } from '../../executor/run-tools.ts';
import type { Session } from '../../executor/session.ts';
import { GloveboxError, isGloveboxError } from '../../shared/errors.ts';

/** The result of running code in an agent's session. */
export interface SessionRunResult {
  readonly outcome: Outcome;
  /** Whether the declarations of earlier steps were lost, before or during this run. */
  readonly isStateLost: boolean;
}

/** The session in which the code of an agent runs. It is opened again after its isolate is lost. */
export class AgentSession {
  readonly #executor: Executor;
  readonly #limits: LimitsInput | undefined;
  #variables: Readonly<Record<string, unknown>> = {};
  #session: Session | undefined;

  constructor(executor: Executor, limits: LimitsInput | undefined) {
    this.#executor = executor;
    this.#limits = limits;
  }

  /**
   * Adds variables for the code of all later steps.
   *
   * @throws {GloveboxError} `UNSERIALIZABLE_VARIABLES`; `INVALID_OPTIONS` if they are too large;
   * what `executor.openSession` throws.
   */
  async setVariables(variables: Readonly<Record<string, unknown>>): Promise<void> {
    if (Object.keys(variables).length === 0) return;
    const before = this.#variables;
    this.#variables = { ...before, ...variables };
    try {
      if (this.#session === undefined) await this.#open();
      else await defineGlobals(this.#session, variables);
    } catch (error) {
      this.#variables = before;
      throw error;
    }
  }

  /** Runs the code of a step. Throws what `executor.openSession` and `session.run` throw. */
  async run(
    code: string,
    options: { tools: Tools; signal: AbortSignal; filename: string },
  ): Promise<SessionRunResult> {
    const session = await this.#open();
    const outcome = await session.run({ code, ...options });
    if (outcome.ok || outcome.error.code === 'GUEST_ERROR') return { outcome, isStateLost: false };
    const { code: errorCode, ran } = outcome.error;
    if ((errorCode === 'SESSION_LOST' || errorCode === 'SESSION_UNKNOWN') && ran === 'no') {
      await this.close();
      // The session was lost before this step started, so the code can run again.
      const again = await (await this.#open()).run({ code, ...options });
      return { outcome: again, isStateLost: true };
    }
    const isLost = await this.#isLost(session);
    if (isLost) await this.close();
    return { outcome, isStateLost: isLost };
  }

  /** Closes the session; the next step opens a new one with the same variables. */
  async close(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }

  /** Removes the variables and closes the session. */
  async clear(): Promise<void> {
    this.#variables = {};
    await this.close();
  }

  /** Only the session knows whether an error ended its isolate: empty code shows it. */
  async #isLost(session: Session): Promise<boolean> {
    return !(await session.run({ code: '' })).ok;
  }

  async #open(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    const session = await this.#executor.openSession(
      this.#limits === undefined ? {} : { limits: this.#limits },
    );
    try {
      await defineGlobals(session, this.#variables);
    } catch (error) {
      await session.close();
      throw error;
    }
    this.#session = session;
    return session;
  }
}

/** Defines variables as globals of the session, so that changes by one step remain visible. */
async function defineGlobals(
  session: Session,
  variables: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (Object.keys(variables).length === 0) return;
  let all = 'given';
  // `all` is a constant of this run: it must not have the name of a variable.
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
  const message = `The variables cannot be defined in the sandbox: ${error.message}`;
  throw new GloveboxError('INVALID_OPTIONS', message, { path: 'variables', cause: error });
}
