import { createRequire } from 'node:module';

/** The installed isolated-vm must not be used: guests can take over its host process. */
export class UnsafeIsolatedVmError extends Error {
  override readonly name = 'UnsafeIsolatedVmError';
}

/**
 * Whether a version of isolated-vm contains the fix for GHSA-864f-rcv7-6rh4: 6.2.0 and later 6.x,
 * 7.0.1 and later. Without the fix, a guest that holds a Reference can take over the host.
 */
export function isSafeIsolatedVm(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (major === 6) return minor >= 2;
  if (major === 7) return minor > 0 || patch >= 1;
  return major > 7;
}

/**
 * The version of the installed isolated-vm. Does not load it.
 *
 * @throws {UnsafeIsolatedVmError} Guests can take over the host in this version.
 */
export function checkIsolatedVm(): string {
  const manifest: { version: string } = createRequire(import.meta.url)('isolated-vm/package.json');
  if (!isSafeIsolatedVm(manifest.version)) {
    throw new UnsafeIsolatedVmError(
      `isolated-vm ${manifest.version} lets guests take over the host (GHSA-864f-rcv7-6rh4). ` +
        'Install 7.0.1 or later.',
    );
  }
  return manifest.version;
}
