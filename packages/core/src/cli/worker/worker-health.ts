import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';

/** What the health server tells. */
export interface Health {
  /** Whether it takes jobs; if not, why. */
  readiness(): string | undefined;
  metrics(): string;
}

/**
 * Answers `/healthz` (the process lives), `/readyz` (it takes jobs) and `/metrics` (Prometheus).
 *
 * @param address `port` or `host:port`; 127.0.0.1 unless a host is given.
 */
export async function serveHealth(address: string, health: Health): Promise<Server> {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d+)$/.exec(address) ?? [];
  if (port === '') throw new Error(`${JSON.stringify(address)} is no port, nor host:port.`);
  const server = createServer((request, response) => {
    const answer = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(text);
    };
    switch (request.url) {
      case '/healthz':
        answer(200, 'ok\n');
        return;
      case '/readyz': {
        const why = health.readiness();
        answer(why === undefined ? 200 : 503, `${why ?? 'ready'}\n`);
        return;
      }
      case '/metrics':
        answer(200, health.metrics());
        return;
      case undefined:
      default:
        answer(404, 'There are /healthz, /readyz and /metrics.\n');
    }
  });
  server.listen(Number(port), host);
  await once(server, 'listening');
  return server;
}
