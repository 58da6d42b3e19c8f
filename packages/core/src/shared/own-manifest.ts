import { readFileSync } from 'node:fs';

interface OwnManifest {
  readonly version: string;
  readonly peerDependencies: { readonly ai: string };
}

/** The fields of this package's own `package.json` that its programs need. */
export function ownManifest(): OwnManifest {
  const url = new URL(import.meta.resolve('@glovebox/core/package.json'));
  // The file is part of this package, so its shape is known.
  return JSON.parse(readFileSync(url, 'utf8')) as OwnManifest;
}
