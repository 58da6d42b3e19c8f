import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Opens a text in the user's editor.
 *
 * @param name Of the file, by which editors know what it is.
 * @returns The text afterwards; undefined where it was left as it is, or the editor failed.
 */
export function editText(before: string, name: string): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'glovebox-edit-'));
  try {
    const file = path.join(folder, name);
    writeFileSync(file, before);
    const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? 'vi';
    // By the shell, as other programs do it: the variable may hold options.
    const command = ['-c', `${editor} "$1"`, 'glovebox', file];
    const { status, error } = spawnSync('/bin/sh', command, { stdio: 'inherit' });
    if (error !== undefined || status !== 0) {
      process.stderr.write(`The editor ${editor} failed.\n`);
      return undefined;
    }
    const after = readFileSync(file, 'utf8');
    return after === before ? undefined : after;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
