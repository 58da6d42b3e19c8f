import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';

import { refuse } from '../transport/http-server.ts';

const SESSION_HEADER = 'mcp-session-id';
/** After so long without a request a session is over, in milliseconds. */
const IDLE_MS = 30 * 60_000;

/**
 * Sessions of the protocols before 2026: only within one can a client cancel a call, or be asked
 * something. Of too many, the one that was used last long ago is closed.
 */
export class McpSessions {
  readonly #create: () => McpServer;
  readonly #sessions: LRUCache<string, NodeStreamableHTTPServerTransport>;

  constructor(create: () => McpServer, maxSessions: number) {
    this.#create = create;
    this.#sessions = new LRUCache({
      max: maxSessions,
      ttl: IDLE_MS,
      updateAgeOnGet: true,
      dispose: (transport) => void transport.close(),
    });
  }

  /** Whether a request begins a session, or is part of one. */
  takes({ headers }: IncomingMessage, body: unknown): boolean {
    return headers[SESSION_HEADER] !== undefined || isInitializeRequest(body);
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers[SESSION_HEADER];
    const transport = id === undefined ? await this.#open() : this.#sessions.get(String(id));
    if (transport === undefined) {
      refuse(response, { status: 404, message: 'There is no such session, or not any more.' });
    } else {
      await transport.handleRequest(request, response, body);
    }
  }

  close(): void {
    this.#sessions.clear();
  }

  async #open(): Promise<NodeStreamableHTTPServerTransport> {
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void this.#sessions.set(id, transport),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    await this.#create().connect(transport);
    return transport;
  }
}
