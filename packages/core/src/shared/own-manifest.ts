import { readFileSync } from 'node:fs';

interface OwnManifest {
  readonly version: string;
  readonly peerDependencies: { readonly ai: string };
}

/** What programs ask of the `package.json` of this package. */
export function ownManifest(): OwnManifest {
  const url = new URL(import.meta.resolve('@glovebox/core/package.json'));
  // Our own file, packed with this code: its shape is no guess.
  return JSON.parse(readFileSync(url, 'utf8')) as OwnManifest;
}
