import { createInterface } from 'node:readline/promises';

/** Asks one question; undefined when the terminal is closed, or nobody waits any more. */
export type Question = (text: string) => Promise<string | undefined>;

/** What becomes of each answer to a request. */
export interface Decisions<Decision> {
  readonly yes: Decision;
  readonly no: (reason: string | undefined) => Decision;
  /** Undefined where the user has changed nothing, or made no sense: the question is put again. */
  readonly edit: () => Decision | undefined | Promise<Decision | undefined>;
}

/** Asks whether to do something, until that is decided; a closed terminal is a no. */
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

/** Asks questions of whoever sits at the terminal, on stderr. */
export async function withTerminal<T>(
  signal: AbortSignal,
  ask: (question: Question) => Promise<T>,
): Promise<T> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, signal });
  // In raw mode Ctrl-C is a key like any other: whoever listens for the signal has to hear of it.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  // Keeps lines that are typed ahead, and ends with the terminal.
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
