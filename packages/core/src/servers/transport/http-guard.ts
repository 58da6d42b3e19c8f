import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

import type { HttpSettings } from './http-options.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Why a request is not let in. */
export interface HttpRefusal {
  readonly status: number;
  readonly message: string;
  /** Of JSON-RPC; that of an invalid request by default. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Guard = (request: IncomingMessage) => HttpRefusal | undefined;

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.includes(urlHost(host));
}

/** A host as URLs have it: an IPv6 address in brackets. */
export function urlHost(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

/** Looks at the head of a request: host, origin, token. */
export function createGuard({ host, token, allowedHosts }: HttpSettings): Guard {
  const own = isLoopback(host) ? LOOPBACK : [urlHost(host)];
  const hosts = new Set((allowedHosts ?? own).map((name) => name.toLowerCase()));
  const tokenHash = token === undefined ? undefined : hash(token);
  return ({ headers }) => {
    // A page whose own name leads here, by a trick of DNS, still sends that name.
    if (!hosts.has(hostnameOf(`http://${headers.host}`) ?? '')) {
      return { status: 403, message: 'This host name is not served here.' };
    }
    const { origin, authorization = '' } = headers;
    if (origin !== undefined && !hosts.has(hostnameOf(origin) ?? '')) {
      return { status: 403, message: 'Pages of this origin may not call this server.' };
    }
    const given = /^Bearer +(?<token>\S+)$/i.exec(authorization)?.groups?.['token'] ?? '';
    // Hashes are of one length, whatever was sent.
    if (tokenHash !== undefined && !timingSafeEqual(hash(given), tokenHash)) {
      const message = 'A token is needed: Authorization: Bearer TOKEN.';
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
