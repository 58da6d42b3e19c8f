import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { stringify } from 'yaml';

import { GloveboxError } from '../../shared/errors.ts';
import type { ManagedAgent } from '../agent-options.ts';
import { APP_SOURCE, hostSource, manifestOf } from './app-file.ts';
import { describeAgent } from './describe-agent.ts';
import { FILES, needsOf } from './folder-format.ts';
import type { AgentFolder } from './folder-format.ts';

/** The result of `save`. */
export interface SavedAgent {
  /** Paths of the written files, relative to the folder. */
  readonly files: readonly string[];
  /** Texts about the parts that could not be saved; empty if everything was saved. */
  readonly omitted: readonly string[];
}

/**
 * Saves an agent in a folder. The folder must be new, empty, or contain an agent, which is
 * replaced.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the folder contains something else, or if a text of
 * the agent cannot be encoded as UTF-8; or errors of the file system.
 */
export async function saveAgent(agent: ManagedAgent, directory: string): Promise<SavedAgent> {
  const omitted: string[] = [];
  const files = await writeAgentFolder(describeAgent(agent, omitted), directory);
  return { files, omitted };
}

/** Writes an agent that is given as data. Returns the file paths; throws like `saveAgent`. */
export async function writeAgentFolder(
  folder: AgentFolder,
  directory: string,
): Promise<readonly string[]> {
  await checkTarget(directory);
  const files = textsOf(folder);
  // An existing host.ts belongs to the user.
  if (existsSync(path.join(directory, FILES.host))) files.delete(FILES.host);
  // These folders may contain files of an agent that was saved before.
  await rm(path.join(directory, FILES.tools), { recursive: true, force: true });
  await rm(path.join(directory, FILES.managedAgents), { recursive: true, force: true });
  for (const [name, text] of files) {
    const target = path.join(directory, name);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return [...files.keys()].toSorted();
}

/**
 * The contents of the files of an agent, by path.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if a text of the agent cannot be encoded as UTF-8.
 */
export function textsOf(folder: AgentFolder): Map<string, string> {
  const files = new Map(filesOf(folder, ''));
  files.set(FILES.manifest, manifestOf(folder.file));
  files.set(FILES.app, APP_SOURCE);
  files.set(FILES.host, hostSource(needsOf(folder)));
  for (const [name, text] of files) {
    if (text.isWellFormed()) continue;
    const message = `${name} would contain a lone surrogate, which UTF-8 cannot encode.`;
    throw new GloveboxError('INVALID_OPTIONS', message, { path: name });
  }
  return files;
}

/** Refuses a folder with other contents than an agent, so that nothing else is overwritten. */
async function checkTarget(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const entries = await readdir(directory);
  if (entries.length === 0 || entries.includes(FILES.agent)) return;
  const message = `${directory} contains something other than an agent: give an empty folder.`;
  throw new GloveboxError('INVALID_OPTIONS', message, { path: 'directory' });
}

function filesOf(folder: AgentFolder, prefix: string): [name: string, text: string][] {
  const { file, prompts, sources, managedAgents } = folder;
  return [
    [`${prefix}${FILES.agent}`, `${JSON.stringify(file, null, 2)}\n`],
    [`${prefix}${FILES.prompts}`, stringify(prompts, { lineWidth: 0, blockQuote: 'literal' })],
    ...Array.from(sources, ([name, source]): [string, string] => [
      `${prefix}${FILES.tools}/${name}.ts`,
      source,
    ]),
    ...Array.from(managedAgents).flatMap(([name, inner]) =>
      filesOf(inner, `${prefix}${FILES.managedAgents}/${name}/`),
    ),
  ];
}
