import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { HttpSettings } from './http-options.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Why a request is refused. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  /** JSON-RPC error code; `INVALID_REQUEST` by default. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Guard = (request: IncomingMessage) => HttpRefusal | undefined;

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(urlHost(host));
}

/** A host in URL notation: an IPv6 address is in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Creates a check of the headers of a request: host, origin and token. */
export function createGuard({ host, token, allowedHosts }: HttpSettings): Guard {
  const own = isLoopback(host) ? LOOPBACK : [urlHost(host)];
  const hosts = new Set((allowedHosts ?? own).map((name) => name.toLowerCase()));
  const tokenHash = token === undefined ? undefined : hash(token);
  return ({ headers }) => {
    // DNS rebinding: a page whose host name resolves to this server still sends its own name.
    if (!hosts.has(hostnameOf(`http://${headers.host}`) ?? '')) {
      return { status: 403, message: 'This server does not accept this host name.' };
    }
    const { origin, authorization = '' } = headers;
    if (origin !== undefined && !hosts.has(hostnameOf(origin) ?? '')) {
      return { status: 403, message: 'This server does not accept requests from this origin.' };
    }
    const given = /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.['token'] ?? '';
    // `timingSafeEqual` needs equal lengths: hashes have the same length for every input.
    if (tokenHash !== undefined && !timingSafeEqual(hash(given), tokenHash)) {
      const message = 'A token is required: send Authorization: Bearer TOKEN.';
      return { status: 401, message, headers: { 'www-authenticate': 'Bearer' } };
    }
    return undefined;
  };
}

function hostnameOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
