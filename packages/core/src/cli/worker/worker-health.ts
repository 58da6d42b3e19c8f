import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';

/** What the health server reports. */
export interface Health {
  /** Why the worker takes no jobs; undefined if it takes jobs. */
  readiness(): string | undefined;
  /** All metrics, in the text format of Prometheus. */
  metrics(): string;
}

/**
 * Serves `/healthz` (the process is alive), `/readyz` (the worker takes jobs) and `/metrics`
 * (Prometheus).
 *
 * @param address `port` or `host:port`; the default host is 127.0.0.1.
 * @throws {Error} The address has another form, or is in use.
 */
export async function serveHealth(address: string, health: Health): Promise<Server> {
  const [, host = '127.0.0.1', port = ''] = /^(?:(.+):)?(\d+)$/.exec(address) ?? [];
  if (port === '') throw new Error(`${JSON.stringify(address)} is not a port or host:port.`);
  const server = createServer((request, response) => {
    const respond = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
      response.end(text);
    };
    switch (request.url) {
      case '/healthz':
        respond(200, 'ok\n');
        return;
      case '/readyz': {
        const why = health.readiness();
        respond(why === undefined ? 200 : 503, `${why ?? 'ready'}\n`);
        return;
      }
      case '/metrics':
        respond(200, health.metrics());
        return;
      case undefined:
      default:
        respond(404, 'Not found; the paths are /healthz, /readyz and /metrics.\n');
    }
  });
  server.listen(Number(port), host);
  await once(server, 'listening');
  return server;
}
