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
 * Reads a saved agent as data, and validates all of it. Nothing in the folder is executed. Nothing
 * outside the folder is read: file names come from validated names, and links are not followed.
 *
 * @throws {GloveboxError} `AGENT_FOLDER_INVALID`, with the invalid file as its path.
 */
export async function readAgentFolder(directory: string): Promise<AgentFolder> {
  return readFolder(directory, '', 0);
}

async function readFolder(root: string, prefix: string, depth: number): Promise<AgentFolder> {
  if (depth > MAX_DEPTH) throw fault(prefix, `has managed agents nested deeper than ${MAX_DEPTH}`);
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
      throw fault(
        path.posix.join(inner, FILES.agent),
        `has a name that differs from its folder, ${name}`,
      );
    }
    managedAgents.set(name, folder);
  }
  return { file, prompts, sources: texts, managedAgents };
}

/** Finds duplicate names and unknown tools in `uses` now; otherwise a call would fail later. */
function checkNames(at: string, { tools, managedAgents }: AgentFile): void {
  const names = [...tools.map(({ name }) => name), ...managedAgents];
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw fault(at, `has ${duplicate} twice`);
  for (const tool of tools) {
    if (tool.kind !== 'source') continue;
    const missing = tool.uses?.find((used) => !tools.some(({ name }) => name === used));
    if (missing === undefined) continue;
    throw fault(at, `has the tool ${tool.name}, which uses ${missing}, but there is no such tool`);
  }
}

async function checkFolder(root: string, name: string): Promise<void> {
  const stats = await lstat(path.join(root, name)).catch((cause: unknown) => {
    throw fault(name, 'cannot be read', cause);
  });
  // The folder that the caller gave may be a link; folders inside it must not.
  if (!stats.isDirectory() && !(name === '.' && stats.isSymbolicLink())) {
    throw fault(name, 'is not a folder');
  }
}

/** Checks that a folder has only the expected entries. If there are none, it may be missing. */
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
    if (!stats.isFile()) throw fault(name, 'is not a file');
    if (stats.size > maxBytes) {
      throw fault(name, `has ${stats.size} bytes, but at most ${maxBytes} are allowed`);
    }
    // At most the checked size, even if the file grows meanwhile.
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(0, bytesRead),
    );
  } catch (cause) {
    if (cause instanceof TypeError) throw fault(name, 'is not UTF-8 text', cause);
    throw cause;
  } finally {
    await handle.close();
  }
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw fault(name, 'is not JSON', cause);
  }
}

function parseYaml(name: string, text: string): unknown {
  try {
    // Prompts are only text: no types, no tags, and no aliases, which can expand without limit.
    return parse(text, { schema: 'failsafe', maxAliasCount: 0, logLevel: 'error' });
  } catch (cause) {
    throw fault(name, 'is not valid YAML', cause);
  }
}

function check<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.slice(0, 5).map(({ path: keys, message }) => {
    const where = keys.map(String).join('.');
    return where === '' ? message : `${where}: ${message}`;
  });
  throw fault(name, `is not valid: ${faults.join('; ')}`, parsed.error);
}

function fault(name: string, what: string, cause?: unknown): GloveboxError {
  const why = cause instanceof Error && !('issues' in cause) ? `: ${cause.message}` : '';
  return new GloveboxError('AGENT_FOLDER_INVALID', `${name} ${what}${why}.`, {
    path: name,
    cause,
  });
}
