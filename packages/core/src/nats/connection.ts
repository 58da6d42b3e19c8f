import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { connect } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';

import { Payloads } from './payloads.ts';
import type { Subjects } from './subjects.ts';

/** How to reach the servers: what `connect` of `@nats-io/transport-node` takes. */
export type NatsServers = NodeConnectionOptions;

/** How long the server may take to have stored a message. */
const STORE_MS = 5000;

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
 */
export async function openConnection(
  servers: NatsServers,
  inbox: string,
  subjects: Subjects,
): Promise<Connection> {
  const nats = await connect({
    name: `glovebox ${inbox}`,
    inboxPrefix: inboxPrefix(inbox),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    // Else each request captures the stack of whoever makes it: 7 % of what an executor does.
    noAsyncTraces: true,
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
