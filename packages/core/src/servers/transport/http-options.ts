import { z } from 'zod';

/** What servers over HTTP take. */
export interface HttpOptions {
  /** Address to listen on; `127.0.0.1` by default. Others than this machine's need a token. */
  readonly host?: string | undefined;
  /** Port to listen on; 0 by default: any that is free. */
  readonly port?: number | undefined;
  /** Clients must send it as `Authorization: Bearer TOKEN`; without it, none is asked for. */
  readonly token?: string | undefined;
  /**
   * Host names by which clients may call the server, without port; `host` and, on this machine
   * alone, `localhost`, `127.0.0.1` and `[::1]` by default. Pages of these hosts, on any port, may
   * call it, too.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** How long a client may take to send its request, in milliseconds; 30 000 by default. */
  readonly requestMs?: number | undefined;
  /** Connections at once; 256 by default. Further ones are closed. */
  readonly maxConnections?: number | undefined;
}

export const httpShape = {
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(0),
  token: z.string().min(16, 'must have at least 16 characters').optional(),
  allowedHosts: z.array(z.string().min(1)).optional(),
  requestMs: z.int().min(1).max(3_600_000).default(30_000),
  maxConnections: z.int().min(1).default(256),
};

export type HttpSettings = z.output<z.ZodObject<typeof httpShape>>;
