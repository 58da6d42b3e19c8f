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

/** The hub and the access to it. */
interface HubOptions {
  /** Access token of the hub; without it only public repositories can be read. */
  readonly token?: string | undefined;
  /** URL of the hub; huggingface.co by default. */
  readonly hubUrl?: string | undefined;
}

export interface PushToHubOptions extends HubOptions {
  readonly token: string;
  /** Whether a new repository is private; by default the setting of the account. */
  readonly private?: boolean | undefined;
  /** Commit message; `Save the agent` by default. */
  readonly message?: string | undefined;
}

export interface LoadFromHubOptions extends HubOptions, LoadAgentOptions {
  /** A branch, a tag or a commit; `main` by default. Only a commit cannot change. */
  readonly revision?: string | undefined;
  /**
   * Must be `true`. Nothing in the repository runs on the host. You trust its prompts and the source
   * code of its tools: they decide what your model is told and how your tools are called.
   */
  readonly trustRemoteCode: boolean;
}

/** The result of `pushToHub`. */
export interface PushedAgent {
  /** Id of the commit. */
  readonly revision: string;
  /** URL of the commit. */
  readonly url: string;
  /** Texts about the parts that could not be saved; empty if everything was saved. */
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
      'must be true: prompts and source code in the repository decide what your model is told and how your tools are called; review the repository first',
  }),
});

const README = `---
tags:
  - glovebox
  - agent
---

A code agent of Glovebox. Load it with \`loadFromHub\` of \`@glovebox/core/agent\`, or review it here:
\`agent.json\` has its tools and limits, \`prompts.yaml\` its prompts, \`tools\` the code that runs in the sandbox.
`;

/** Files that are not overwritten if they exist: they belong to the user. */
const KEPT_FILES: readonly string[] = [FILES.host, 'README.md'];

/** Saves an agent in a repository of a hub, in one commit. Creates the repository if needed. */
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
    // 409: the repository already exists.
    if (!(error instanceof HubApiError) || error.statusCode !== 409) throw error;
  });
  const existing: string[] = [];
  for await (const { type, path: file } of listFiles({ ...access, repo: name, recursive: true })) {
    if (type === 'file') existing.push(file);
  }
  for (const file of KEPT_FILES) if (existing.includes(file)) files.delete(file);
  // Files of an agent that was pushed before.
  const stale = existing.filter((file) => isInFolders(file) && !files.has(file));
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
 * Loads an agent from a repository of a hub. The files of the agent are downloaded and validated as
 * by `loadAgent`; nothing in them runs on the host.
 *
 * @throws {GloveboxError} What `loadAgent` throws; `INVALID_OPTIONS` without `trustRemoteCode`; or
 * errors of the hub.
 */
export async function loadFromHub(repo: string, options: LoadFromHubOptions): Promise<CodeAgent> {
  const name = checkOptions(repoSchema, repo, 'loadFromHub');
  const { token, hubUrl, revision, trustRemoteCode, ...parts } = options;
  const checked = checkOptions(
    loadSchema,
    { token, hubUrl, revision, trustRemoteCode },
    'loadFromHub',
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'glovebox-agent-'));
  try {
    await download(name, checked, folder);
    return await loadAgent(folder, parts);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Maximum number of files of an agent in a repository. */
const MAX_FILES = 2000;
/** Maximum size of all files of an agent in a repository, in bytes. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;

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
    if (files.push(file) > MAX_FILES || total > MAX_TOTAL_BYTES) {
      throw invalid(repo, `has more than ${MAX_FILES} files or ${MAX_TOTAL_BYTES} bytes`);
    }
  }
  for (const file of files) {
    const blob = await downloadFile({ ...access, path: file });
    if (blob === null) throw invalid(file, 'does not exist');
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await readAll(file, blob));
  }
}

/** Reads a file up to the maximum size: the sizes that a hub reports are not reliable. */
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

/** Checks a path from the hub: it must not lead outside the target folder. */
function checkPath(file: string): void {
  const isPlain = file.split('/').every((part) => /^[\w-][\w.-]*$/.test(part));
  if (!isPlain || file.length > 1024) throw invalid(file, 'is not a valid path of an agent file');
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

/** The library is an optional peer dependency: the user installs it. */
async function loadHub(): Promise<typeof HubModule> {
  try {
    return await import('@huggingface/hub');
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw cause;
    const message = 'A hub needs its library: npm install @huggingface/hub';
    throw new GloveboxError('INVALID_OPTIONS', message, { cause });
  }
}
