import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { RequestError, TimeoutError } from '@nats-io/nats-core';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';

import { Payloads } from './payloads.ts';
import { UnreachableError } from './retry-until-reachable.ts';
import { readStoredObject } from './stored-object.ts';
import type { Subjects } from './subjects.ts';

/** Options of `connect` of `@nats-io/transport-node`: server URLs, TLS, authentication. */
export type NatsServers = NodeConnectionOptions;

/** Time-out of a JetStream request, such as to store a message. */
const JETSTREAM_TIMEOUT_MS = 5000;
/**
 * Time-out of a connection attempt. The client does not notice when a server closes the connection
 * in this phase, as a server does that rejects the client certificate: it waits for the time-out.
 */
const CONNECT_TIMEOUT_MS = 5000;

/** A connection to NATS, with the clients that executors and workers use on it. */
export interface Connection {
  readonly nats: NatsConnection;
  readonly manager: JetStreamManager;
  readonly jetstream: JetStreamClient;
  readonly payloads: Payloads;
}

/** The prefix of the subjects on which this party receives responses. */
export function inboxPrefix(name: string): string {
  return `_INBOX.${name}`;
}

/**
 * Connects. A connection that is lost later reconnects without limit.
 *
 * @param inbox The name of this party in its inbox subjects. A user that may subscribe to them can
 * read the responses.
 * @throws {UnreachableError} The first attempt failed.
 */
export async function openConnection(
  servers: NatsServers,
  inbox: string,
  subjects: Subjects,
): Promise<Connection> {
  const nats = await connectOnce({
    name: `glovebox ${inbox}`,
    inboxPrefix: inboxPrefix(inbox),
    timeout: CONNECT_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    // By default, the client closes for good after the same authorization error twice in a row. A
    // server with a wrong configuration must not end its clients.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    // Otherwise each request captures a stack trace: 7 % of an executor's processor time.
    noAsyncTraces: true,
    ...(hasTlsUrl(servers) ? { tls: {} } : {}),
    ...servers,
  });
  try {
    // `checkAPI` requests information about the account, which a worker's user may be denied.
    const manager = await jetstreamManager(nats, { checkAPI: false });
    const { bucket } = subjects;
    const payloads = new Payloads(
      () => new Objm(nats).open(bucket),
      (name, maxBytes) => readStoredObject(manager, bucket, name, maxBytes),
    );
    return {
      nats,
      manager,
      jetstream: jetstream(nats, { timeout: JETSTREAM_TIMEOUT_MS }),
      payloads,
    };
  } catch (error) {
    await nats.close();
    throw error;
  }
}

/** The client ignores the scheme `tls://`, and without TLS it sends a password unencrypted. */
function hasTlsUrl({ servers }: NatsServers): boolean {
  return [servers ?? []].flat().some((url) => url.startsWith('tls://'));
}

async function connectOnce(options: NatsServers): Promise<NatsConnection> {
  try {
    return await connect(options);
  } catch (cause) {
    throw new UnreachableError(`No NATS server could be reached: ${reasonOf(cause)}`, { cause });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof TimeoutError) {
    return 'the connection timed out; the server may require another client certificate: see its log';
  }
  // The cause of a refused connection names the address.
  return error.cause instanceof Error && error.cause.message !== ''
    ? error.cause.message
    : error.message;
}

/** Whether an error means that the subject has no subscriber. */
export function isNoResponders(error: unknown): boolean {
  const request =
    error instanceof Error && error.cause instanceof RequestError ? error.cause : error;
  return request instanceof RequestError && request.isNoResponders();
}

/** Whether an error means that a request got no response: it timed out, or had no subscriber. */
export function isNoResponse(error: unknown): boolean {
  return error instanceof TimeoutError || isNoResponders(error);
}
