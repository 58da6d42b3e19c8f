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

/** What `save` wrote. */
export interface SavedAgent {
  /** Paths within the folder. */
  readonly files: readonly string[];
  /** What the folder does not hold, in words; empty where it holds all. */
  readonly omitted: readonly string[];
}

/**
 * Writes an agent into a folder: a new or empty one, or one that holds an agent, which is replaced.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: the folder holds something else; or a text of the agent
 * is none that a file can hold. Else what the file system says.
 */
export async function saveAgent(agent: ManagedAgent, directory: string): Promise<SavedAgent> {
  const omitted: string[] = [];
  const files = await writeAgentFolder(describeAgent(agent, omitted), directory);
  return { files, omitted };
}

/** Writes an agent that is data. Tells the paths of the files, and throws as `saveAgent` does. */
export async function writeAgentFolder(
  folder: AgentFolder,
  directory: string,
): Promise<readonly string[]> {
  await checkTarget(directory);
  const files = textsOf(folder);
  // Once it is there it is the user's own.
  if (existsSync(path.join(directory, FILES.host))) files.delete(FILES.host);
  // What an earlier save left there is not this agent's.
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
 * The files of an agent, by their paths.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS`: a text of the agent is none that a file can hold.
 */
export function textsOf(folder: AgentFolder): Map<string, string> {
  const files = new Map(filesOf(folder, ''));
  files.set(FILES.manifest, manifestOf(folder.file));
  files.set(FILES.app, APP_SOURCE);
  files.set(FILES.host, hostSource(needsOf(folder)));
  for (const [name, text] of files) {
    if (text.isWellFormed()) continue;
    const message = `${name} would hold a lone surrogate, which is no character of any text file.`;
    throw new GloveboxError('INVALID_OPTIONS', message, { path: name });
  }
  return files;
}

/** Only what an agent's folder may hold is ever replaced. */
async function checkTarget(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  const entries = await readdir(directory);
  if (entries.length === 0 || entries.includes(FILES.agent)) return;
  const message = `${directory} holds something else than an agent: give an empty folder.`;
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
