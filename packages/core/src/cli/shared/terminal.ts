import { createInterface } from 'node:readline/promises';

/** Asks one question. Resolves to undefined if the terminal closes or the signal is aborted. */
export type Question = (text: string) => Promise<string | undefined>;

/** The decision for each answer. */
export interface Decisions<Decision> {
  readonly yes: Decision;
  readonly no: (reason: string | undefined) => Decision;
  /** Undefined if the user changed nothing or the input is invalid: the question is asked again. */
  readonly edit: () => Decision | undefined | Promise<Decision | undefined>;
}

/** Asks until the answer is a decision. A closed terminal counts as no. */
export async function decide<Decision>(
  question: Question,
  text: string,
  { yes, no, edit }: Decisions<Decision>,
): Promise<Decision> {
  for (;;) {
    const answer = await question(`${text} (y)es, (n)o, (e)dit: `);
    switch (answer?.toLowerCase()) {
      case undefined:
        return no('the terminal was closed');
      case 'y':
      case 'yes':
        return yes;
      case 'n':
      case 'no': {
        const reason = await question('Why not? (may be empty): ');
        return no(reason === '' ? undefined : reason);
      }
      case 'e':
      case 'edit': {
        const edited = await edit();
        if (edited !== undefined) return edited;
      }
    }
  }
}

/** Opens the terminal for questions on stderr, and closes it when `ask` has ended. */
export async function withTerminal<T>(
  signal: AbortSignal,
  ask: (question: Question) => Promise<T>,
): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, signal });
  // In raw mode Ctrl-C is an ordinary key: send the signal, so that its listeners are called.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // The iterator buffers lines that are typed ahead, and ends when the terminal closes.
  const lines = terminal[Symbol.asyncIterator]();
  try {
    return await ask(async (text) => {
      terminal.setPrompt(text);
      terminal.prompt();
      const line = await lines.next();
      return line.done === true ? undefined : line.value.trim();
    });
  } finally {
    terminal.close();
  }
}
