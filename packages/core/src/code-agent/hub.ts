import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type * as HubModule from '@huggingface/hub';
import { z } from 'zod';

import { checkOptions } from '../shared/check-options.ts';
import { GloveboxError } from '../shared/errors.ts';
import type { CodeAgent } from './code-agent.ts';
import { describeAgent } from './folder/describe-agent.ts';
import { FILES, MAX_BYTES } from './folder/folder-format.ts';
import { loadAgent } from './folder/load-agent.ts';
import type { LoadAgentOptions } from './folder/load-agent.ts';
import { textsOf } from './folder/save-agent.ts';

/** Where a hub is, and who one is there. */
interface HubOptions {
  /** Access token of the hub; without it only what is public can be read. */
  readonly token?: string | undefined;
  /** Another hub than huggingface.co. */
  readonly hubUrl?: string | undefined;
}

export interface PushToHubOptions extends HubOptions {
  readonly token: string;
  /** Whether a repository that is made for it is private; what the account says by default. */
  readonly private?: boolean | undefined;
  /** What the commit says; `Save the agent` by default. */
  readonly message?: string | undefined;
}

export interface LoadFromHubOptions extends HubOptions, LoadAgentOptions {
  /** A branch, a tag or a commit; `main` by default. A commit is the only one that cannot change. */
  readonly revision?: string | undefined;
  /**
   * Must be `true`. Nothing of the repository runs on the host: what is trusted are its prompts and
   * the sources of its tools, which decide what your model is told and what is asked of your tools.
   */
  readonly trustRemoteCode: boolean;
}

/** What pushing did. */
export interface PushedAgent {
  /** Of the commit. */
  readonly revision: string;
  readonly url: string;
  /** What the repository does not hold, in words. */
  readonly omitted: readonly string[];
}

const repoSchema = z
  .string()
  .regex(
    /^(?:(?:spaces|datasets)\/)?[\w-][\w.-]*\/[\w-][\w.-]*$/,
    'must be a name such as maker/agent',
  );
const hub = { token: z.string().optional(), hubUrl: z.url().optional() };

const pushSchema = z.strictObject({
  ...hub,
  token: z.string(),
  private: z.boolean().optional(),
  message: z.string().default('Save the agent'),
});

const loadSchema = z.object({
  ...hub,
  revision: z.string().min(1).default('main'),
  trustRemoteCode: z.literal(true, {
    error:
      'must be true: prompts and sources of the repository decide what your model is told and what is asked of your tools; look at it first',
  }),
});

const README = `---
tags:
  - glovebox
  - agent
---

A code agent of Glovebox: load it by \`loadFromHub\` of \`@glovebox/core/agent\`, or look at it here:
\`agent.json\` says what it may do, \`prompts.yaml\` what its model is told, \`tools\` what runs in the box.
`;

/** What is the user's own once it is there. */
const KEPT: readonly string[] = [FILES.host, 'README.md'];

/** Writes an agent into a repository of a hub, in one commit. The repository is made where needed. */
export async function pushToHub(
  agent: CodeAgent,
  repo: string,
  options: PushToHubOptions,
): Promise<PushedAgent> {
  const name = checkOptions(repoSchema, repo, 'pushToHub');
  const checked = checkOptions(pushSchema, options, 'pushToHub');
  const omitted: string[] = [];
  const files = textsOf(describeAgent(agent, omitted)).set('README.md', README);
  const { commit, createRepo, HubApiError, listFiles } = await loadHub();
  const access = accessOf(checked);
  await createRepo({
    ...access,
    accessToken: checked.token,
    repo: name,
    ...(checked.private === undefined
      ? {}
      : { visibility: checked.private ? ('private' as const) : ('public' as const) }),
  }).catch((error: unknown) => {
    // It is there already.
    if (!(error instanceof HubApiError) || error.statusCode !== 409) throw error;
  });
  const there: string[] = [];
  for await (const { type, path: file } of listFiles({ ...access, repo: name, recursive: true })) {
    if (type === 'file') there.push(file);
  }
  for (const file of KEPT) if (there.includes(file)) files.delete(file);
  // What an earlier push left in the folders of the agent is not this agent's.
  const stale = there.filter((file) => isInFolders(file) && !files.has(file));
  const output = await commit({
    ...access,
    repo: name,
    title: checked.message,
    operations: [
      ...Array.from(files, ([file, text]) => ({
        operation: 'addOrUpdate' as const,
        path: file,
        content: new Blob([text]),
      })),
      ...stale.map((file) => ({ operation: 'delete' as const, path: file })),
    ],
  });
  return { revision: output?.commit.oid ?? '', url: output?.commit.url ?? '', omitted };
}

/**
 * Loads an agent out of a repository of a hub. What belongs to an agent is downloaded and checked as
 * `loadAgent` does it; nothing of it runs on the host.
 *
 * @throws {GloveboxError} Those of `loadAgent`; `INVALID_OPTIONS` without `trustRemoteCode`. Else
 * what the hub says.
 */
export async function loadFromHub(repo: string, options: LoadFromHubOptions): Promise<CodeAgent> {
  const name = checkOptions(repoSchema, repo, 'loadFromHub');
  const { token, hubUrl, revision, trustRemoteCode, ...supplies } = options;
  const checked = checkOptions(
    loadSchema,
    { token, hubUrl, revision, trustRemoteCode },
    'loadFromHub',
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'glovebox-agent-'));
  try {
    await download(name, checked, folder);
    return await loadAgent(folder, supplies);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** How many files an agent's folder may have on a hub, and how large all are together, in bytes. */
const MAX_FILES = 2000;
const MAX_TOTAL = 64 * 1024 * 1024;

async function download(
  repo: string,
  options: z.output<typeof loadSchema>,
  folder: string,
): Promise<void> {
  const { downloadFile, listFiles } = await loadHub();
  const access = { ...accessOf(options), repo, revision: options.revision };
  const files: string[] = [];
  let total = 0;
  for await (const { type, path: file, size } of listFiles({ ...access, recursive: true })) {
    if (type !== 'file' || !isOfAgent(file)) continue;
    checkPath(file);
    total += Math.max(0, size);
    if (files.push(file) > MAX_FILES || total > MAX_TOTAL) {
      throw invalid(repo, `has more than ${MAX_FILES} files, or ${MAX_TOTAL} bytes, of an agent`);
    }
  }
  for (const file of files) {
    const blob = await downloadFile({ ...access, path: file });
    if (blob === null) throw invalid(file, 'is not there');
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readAll(file, blob));
  }
}

/** A file as it comes, as far as any file of an agent may go: sizes that a hub tells are its word. */
async function readAll(file: string, blob: Blob): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of blob.stream()) {
    size += chunk.length;
    if (size > MAX_BYTES.prompts) {
      throw invalid(file, `has more than ${MAX_BYTES.prompts} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function isInFolders(file: string): boolean {
  return file.startsWith(`${FILES.tools}/`) || file.startsWith(`${FILES.managedAgents}/`);
}

function isOfAgent(file: string): boolean {
  return file === FILES.agent || file === FILES.prompts || isInFolders(file);
}

/** Paths are the hub's word: none may lead out of the folder into which it is written. */
function checkPath(file: string): void {
  const isPlain = file.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
  if (!isPlain || file.length > 1024) throw invalid(file, 'is no path of a file of an agent');
}

function accessOf({ token, hubUrl }: HubOptions): { accessToken?: string; hubUrl?: string } {
  return {
    ...(token === undefined ? {} : { accessToken: token }),
    ...(hubUrl === undefined ? {} : { hubUrl }),
  };
}

function invalid(file: string, what: string): GloveboxError {
  return new GloveboxError('AGENT_FOLDER_INVALID', `${file} ${what}.`, { path: file });
}

/** The library is installed by whoever needs it. */
async function loadHub(): Promise<typeof HubModule> {
  try {
    return await import('@huggingface/hub');
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = 'A hub needs its library: npm install @huggingface/hub';
    throw new GloveboxError('INVALID_OPTIONS', message, { cause });
  }
}
