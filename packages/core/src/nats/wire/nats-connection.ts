import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { RequestError, TimeoutError } from '@nats-io/nats-core';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';

import { Payloads } from './payloads.ts';
import { UnreachableError } from './retry-until-reachable.ts';
import type { Subjects } from './subjects.ts';

/** How to reach the servers: what `connect` of `@nats-io/transport-node` takes. */
export type NatsServers = NodeConnectionOptions;

/** How long the server may take to have stored a message. */
const STORE_MS = 5000;
/**
 * How long a server may take to let a connection in. The client takes no notice of a server that
 * hangs up meanwhile, as it does on a client certificate that it does not like, and waits so long.
 */
const CONNECT_MS = 5000;

/** A connection with what both sides need of it. */
export interface Connection {
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly jetstream: JetStreamClient;
  readonly payloads: Payloads;
}

/** What the subjects begin with on which one that is called so gets answers. */
export function inboxPrefix(name: string): string {
  return `_INBOX.${name}`;
}

/**
 * Connects, and goes on trying for ever when the connection is lost.
 *
 * @param inbox Under what name answers come: who may listen there can read them.
 * @throws {UnreachableError}
 */
export async function openConnection(
  servers: NatsServers,
  inbox: string,
  subjects: Subjects,
): Promise<Connection> {
  const nats = await reach({
    name: `glovebox ${inbox}`,
    inboxPrefix: inboxPrefix(inbox),
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    // Else the connection is closed for good when a server that was set up anew has refused twice.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    // Else each request captures the stack of whoever makes it: 7 % of what an executor does.
    noAsyncTraces: true,
    ...(wantsTls(servers) ? { tls: {} } : {}),
    ...servers,
  });
  try {
    // Without a check of the account: a worker's user may not ask for it.
    const manager = await jetstreamManager(nats, { checkAPI: false });
    const payloads = new Payloads(() => new Objm(nats).open(subjects.bucket));
    return {
      nats,
      manager,
      jetstream: jetstream(nats, { timeout: STORE_MS }),
      payloads,
    };
  } catch (error) {
    await nats.close();
    throw error;
  }
}

/** The client takes `tls://` for a mere name: it would send a password in the clear. */
function wantsTls({ servers }: NatsServers): boolean {
  return [servers ?? []].flat().some((url) => url.startsWith('tls://'));
}

async function reach(options: NatsServers): Promise<NatsConnection> {
  try {
    return await connect(options);
  } catch (cause) {
    throw new UnreachableError(`No NATS server could be reached: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TimeoutError) {
    return 'none let it in within the time; perhaps for want of another client certificate: the log of the server says why';
  }
  // A refused connection has its address there.
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}

/** Whether an error says that nobody listens on a subject. */
export function isNoResponders(error: unknown): boolean {
  const request =
    error instanceof Error && error.cause instanceof RequestError ? error.cause : error;
  return request instanceof RequestError && request.isNoResponders();
}

/** Whether an error says that nobody has answered. */
export function isUnheard(error: unknown): boolean {
  return error instanceof TimeoutError || isNoResponders(error);
}
