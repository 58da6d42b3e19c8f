import { messageOf } from '../../shared/message-of.ts';
import { EXIT } from './exit-codes.ts';

/** Says what was not used right. */
export function misuse(error: unknown): number {
  process.stderr.write(`glovebox: ${messageOf(error)}\n`);
  return EXIT.misuse;
}

/** Carries out a command; what it throws was not used right. */
export async function orMisuse(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    return misuse(error);
  }
}
