import { createRequire } from 'node:module';

/** An isolated-vm that must not be used, because guests can take over its host. */
export class UnsafeIsolatedVmError extends Error {
  override readonly name = 'UnsafeIsolatedVmError';
}

/**
 * Whether a version of isolated-vm has the fix of GHSA-864f-rcv7-6rh4, by which a guest that holds
 * one Reference takes over the host: 6.2.0 and later 6.x, 7.0.1 and later.
 */
export function isSafeIsolatedVm(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.+-]/).map(Number);
  if (major === 6) return minor >= 2;
  if (major === 7) return minor > 0 || patch >= 1;
  return major > 7;
}

/**
 * The version of the isolated-vm that would be loaded.
 *
 * @throws {UnsafeIsolatedVmError} It has a known host takeover.
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
