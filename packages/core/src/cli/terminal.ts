import { createInterface } from 'node:readline/promises';

/** Asks one question; undefined when the terminal is closed, or nobody waits any more. */
export type Question = (text: string) => Promise<string | undefined>;

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
