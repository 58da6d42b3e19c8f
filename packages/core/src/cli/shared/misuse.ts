import { messageOf } from '../../shared/message-of.ts';
import { plainText } from '../../shared/plain-text.ts';
import { EXIT } from './exit-codes.ts';

/** Reports wrong usage of the command on stderr, and returns the exit code for it. */
export function misuse(error: unknown): number {
  process.stderr.write(`glovebox: ${plainText(messageOf(error))}\n`);
  return EXIT.misuse;
}

/** Runs a command; reports an error that it throws as wrong usage. */
export async function catchMisuse(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    return misuse(error);
  }
}
