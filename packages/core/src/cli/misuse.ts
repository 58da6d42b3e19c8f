import { EXIT } from './exit-codes.ts';

/** Says what was not used right. */
export function misuse(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`glovebox: ${message}\n`);
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
