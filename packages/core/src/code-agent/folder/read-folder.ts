import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';

import { parse } from 'yaml';
import type { z } from 'zod';

import { GloveboxError } from '../../shared/errors.ts';
import { templatesSchema } from '../prompt-templates.ts';
import { agentFileSchema, FILES, MAX_BYTES, MAX_DEPTH } from './folder-format.ts';
import type { AgentFile, AgentFolder } from './folder-format.ts';

/**
 * Reads a saved agent as data, and checks all of it. Nothing in the folder is run, and nothing
 * outside is read: all names of files are made here, and links are not followed.
 *
 * @throws {GloveboxError} `AGENT_FOLDER_INVALID`, with the file at fault as its path.
 */
export async function readAgentFolder(directory: string): Promise<AgentFolder> {
  return readFolder(directory, '', 0);
}

async function readFolder(root: string, prefix: string, depth: number): Promise<AgentFolder> {
  if (depth > MAX_DEPTH) throw fault(prefix, `has agents within agents deeper than ${MAX_DEPTH}`);
  const at = (name: string): string => path.posix.join(prefix, name);
  await checkFolder(root, prefix === '' ? '.' : prefix);
  const file = check(
    agentFileSchema,
    at(FILES.agent),
    parseJson(at(FILES.agent), await readText(root, at(FILES.agent), MAX_BYTES.agent)),
  );
  checkNames(at(FILES.agent), file);
  const prompts = check(
    templatesSchema,
    at(FILES.prompts),
    parseYaml(at(FILES.prompts), await readText(root, at(FILES.prompts), MAX_BYTES.prompts)),
  );
  const sources = file.tools.filter(({ kind }) => kind === 'source').map(({ name }) => name);
  await checkEntries(
    root,
    at(FILES.tools),
    sources.map((name) => `${name}.ts`),
  );
  await checkEntries(root, at(FILES.managedAgents), file.managedAgents);
  const texts = new Map<string, string>();
  for (const name of sources) {
    const source = path.posix.join(at(FILES.tools), `${name}.ts`);
    texts.set(name, await readText(root, source, MAX_BYTES.source));
  }
  const managedAgents = new Map<string, AgentFolder>();
  for (const name of file.managedAgents) {
    const inner = path.posix.join(at(FILES.managedAgents), name);
    const folder = await readFolder(root, inner, depth + 1);
    if (folder.file.name !== name) {
      throw fault(path.posix.join(inner, FILES.agent), `has another name than its folder, ${name}`);
    }
    managedAgents.set(name, folder);
  }
  return { file, prompts, sources: texts, managedAgents };
}

/** Two of the same name, or a source that calls what is not there, would be found too late. */
function checkNames(at: string, { tools, managedAgents }: AgentFile): void {
  const names = [...tools.map(({ name }) => name), ...managedAgents];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw fault(at, `has ${twice} twice`);
  for (const tool of tools) {
    if (tool.kind !== 'source') continue;
    const missing = tool.uses?.find((used) => !tools.some(({ name }) => name === used));
    if (missing === undefined) continue;
    throw fault(
      at,
      `has the tool ${tool.name}, which uses ${missing}, and that is none of its tools`,
    );
  }
}

async function checkFolder(root: string, name: string): Promise<void> {
  const stats = await lstat(path.join(root, name)).catch((cause: unknown) => {
    throw fault(name, 'cannot be read', cause);
  });
  // The folder that the caller named may be a link; those within may not.
  if (!stats.isDirectory() && !(name === '.' && stats.isSymbolicLink())) {
    throw fault(name, 'is no folder');
  }
}

/** A folder that may be left out where nothing belongs into it. */
async function checkEntries(
  root: string,
  name: string,
  expected: readonly string[],
): Promise<void> {
  const entries = await readdir(path.join(root, name)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' && expected.length === 0) return undefined;
    throw fault(name, 'cannot be read', cause);
  });
  if (entries === undefined) return;
  await checkFolder(root, name);
  const extra = entries.find((entry) => !expected.includes(entry));
  if (extra === undefined) return;
  throw fault(`${name}/${extra}`, `is not named in ${FILES.agent}`);
}

async function readText(root: string, name: string, maxBytes: number): Promise<string> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path.join(root, name), flags).catch((cause: NodeJS.ErrnoException) => {
    throw fault(name, cause.code === 'ELOOP' ? 'is a link' : 'cannot be read', cause);
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw fault(name, 'is no file');
    if (stats.size > maxBytes) {
      throw fault(name, `has ${stats.size} bytes; ${maxBytes} are allowed`);
    }
    // No more than that, also where it grows meanwhile.
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(0, bytesRead),
    );
  } catch (cause) {
    if (cause instanceof TypeError) throw fault(name, 'is no UTF-8 text', cause);
    throw cause;
  } finally {
    await handle.close();
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault(name, 'is no JSON', cause);
  }
}

function parseYaml(name: string, text: string): unknown {
  try {
    // All that a prompt can be is text: no types, no tags, and no aliases, which can be a bomb.
    return parse(text, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' });
  } catch (cause) {
    throw fault(name, 'is no YAML that can be read', cause);
  }
}

function check<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map(({ path: keys, message }) => {
    const where = keys.map(String).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  throw fault(name, `is not as it should be: ${faults.join('; ')}`, parsed.error);
}

function fault(name: string, what: string, cause?: unknown): GloveboxError {
  const why = cause instanceof Error && !('issues' in cause) ? `: ${cause.message}` : '';
  return new GloveboxError('AGENT_FOLDER_INVALID', `${name} ${what}${why}.`, {
    path: name,
    cause,
  });
}
