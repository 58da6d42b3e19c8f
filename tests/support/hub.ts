import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const TOKEN = 'hf_writer';

interface Repository {
  readonly isPrivate: boolean;
  /** Files of each commit, the newest last. */
  readonly commits: { readonly id: string; readonly title: string; files: Map<string, Buffer> }[];
}

/** A server that speaks as much of the Hub's API as saving and loading needs. */
export interface Hub extends AsyncDisposable {
  readonly url: string;
  readonly repositories: Map<string, Repository>;
}

export async function startHub(): Promise<Hub> {
  const repositories = new Map<string, Repository>();
  const server = createServer((request, response) => {
    handle(repositories, request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    repositories,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(
  repositories: Map<string, Repository>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://hub');
  const isWriter = request.headers.authorization === `Bearer ${TOKEN}`;
  const json = (status: number, body: unknown): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const match =
    /^(?:\/api\/models)?\/(?<name>[\w.-]+\/[\w.-]+)\/(?<what>tree|preupload|commit|resolve)\/(?<revision>[^/]+)(?:\/(?<file>.*))?$/.exec(
      pathname,
    )?.groups ?? {};
  if (request.method === 'POST' && !isWriter) return json(401, { error: 'Who are you?' });
  if (pathname === '/api/repos/create') {
    const { name, organization, visibility } = JSON.parse(await text(request)) as {
      [key: string]: string;
    };
    const id = `${organization}/${name}`;
    if (repositories.has(id)) return json(409, { error: 'You already created this model repo' });
    repositories.set(id, {
      isPrivate: visibility === 'private',
      commits: [{ id: 'empty', title: 'initial commit', files: new Map() }],
    });
    return json(200, { url: `http://hub/${id}`, id });
  }
  const repository = repositories.get(match['name'] ?? '');
  if (repository === undefined || (repository.isPrivate && !isWriter)) {
    return json(404, { error: 'Repository not found' });
  }
  const { revision = '', file = '' } = match;
  const commit =
    revision === 'main'
      ? repository.commits.at(-1)
      : repository.commits.find(({ id }) => id === revision);
  if (commit === undefined) return json(404, { error: 'Invalid rev id' });
  switch (match['what'] ?? '') {
    case 'tree':
      return json(
        200,
        Array.from(commit.files, ([path, { length }]) => ({
          type: 'file',
          path,
          size: length,
          oid: 'x',
        })),
      );
    case 'preupload': {
      const { files } = JSON.parse(await text(request)) as { files: { path: string }[] };
      return json(200, { files: files.map(({ path }) => ({ path, uploadMode: 'regular' })) });
    }
    case 'commit': {
      const files = new Map(commit.files);
      let title = '';
      for (const line of (await text(request)).split('\n')) {
        const { key, value } = JSON.parse(line) as {
          key: string;
          value: { [key: string]: string };
        };
        if (key === 'header') title = value['summary'] ?? '';
        if (key === 'file')
          files.set(value['path'] ?? '', Buffer.from(value['content'] ?? '', 'base64'));
        if (key === 'deletedFile') files.delete(value['path'] ?? '');
      }
      const id = createHash('sha1').update(randomUUID()).digest('hex');
      repository.commits.push({ id, title, files });
      return json(200, { success: true, commitOid: id, commitUrl: `http://hub/commit/${id}` });
    }
    default: {
      const content = commit.files.get(decodeURIComponent(file));
      if (content === undefined) {
        response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
        return;
      }
      const common = { etag: '"x"', 'content-type': 'text/plain' };
      if (request.headers.range === 'bytes=0-0') {
        response
          .writeHead(206, { ...common, 'content-range': `bytes 0-0/${content.length}` })
          .end(content.subarray(0, 1));
      } else {
        response.writeHead(200, common).end(content);
      }
    }
  }
}
