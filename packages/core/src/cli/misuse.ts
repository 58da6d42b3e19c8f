import { EXIT } from './exit-codes.ts';

/** Says what was not used right. */
export function misuse(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`glovebox: ${message}\n`);
  return EXIT.misuse;
}
