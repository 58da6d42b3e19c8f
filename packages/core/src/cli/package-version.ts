import { readFileSync } from 'node:fs';

/** The version of this package. */
export function packageVersion(): string {
  const url = new URL(import.meta.resolve('@glovebox/core/package.json'));
  return (JSON.parse(readFileSync(url, 'utf8')) as { version: string }).version;
}
