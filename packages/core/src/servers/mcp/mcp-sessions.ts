import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';

import { refuse } from '../transport/http-server.ts';

const SESSION_HEADER = 'mcp-session-id';
/** Time without a request after which a session is closed, in milliseconds. */
const IDLE_MS = 30 * 60_000;

/**
 * Sessions of the protocol versions before 2026. Clients need a session to cancel calls and to
 * receive questions. Above the maximum number, the least recently used session is closed.
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

  /** Whether a request starts a session or belongs to one. */
  isForSession({ headers }: IncomingMessage, body: unknown): boolean {
    return headers[SESSION_HEADER] !== undefined || isInitializeRequest(body);
  }

  async handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers[SESSION_HEADER];
    const transport = id === undefined ? await this.#open() : this.#sessions.get(String(id));
    if (transport === undefined) {
      refuse(response, { status: 404, message: 'The session does not exist, or has ended.' });
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
