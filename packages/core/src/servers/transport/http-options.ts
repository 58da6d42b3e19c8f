import { z } from 'zod';

/** Options of all HTTP servers. */
export interface HttpOptions {
  /** Address to listen on; `127.0.0.1` by default. Non-loopback addresses require a token. */
  readonly host?: string | undefined;
  /** Port to listen on; 0 by default: any free port. */
  readonly port?: number | undefined;
  /** Token that clients must send as `Authorization: Bearer TOKEN`; none by default. */
  readonly token?: string | undefined;
  /**
   * Host names, without port, that clients may use to call the server. By default `host`; for a
   * loopback address also `localhost`, `127.0.0.1` and `[::1]`. Web pages of these hosts, on any
   * port, may call the server too.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** How long a client may take to send its request, in milliseconds; 30 000 by default. */
  readonly requestMs?: number | undefined;
  /** Maximum number of connections; 256 by default. More connections are closed. */
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
