import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Opens a text in the user's editor.
 *
 * @param name File name; editors recognise the type of the text by its extension.
 * @returns The edited text; undefined if the text is unchanged or the editor failed.
 */
export function editText(before: string, name: string): string | undefined {
  const folder = mkdtempSync(path.join(tmpdir(), 'glovebox-edit-'));
  try {
    const file = path.join(folder, name);
    writeFileSync(file, before);
    const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? 'vi';
    // Run by the shell, as other programs do: the variable may contain options.
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
