export { credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';

export type { NatsServers } from './nats/connection.ts';
export { nats, NatsPool } from './nats/nats-pool.ts';
export type { NatsPoolOptions } from './nats/nats-pool.ts';
export { NatsWorker } from './nats/worker.ts';
export type { NatsWorkerOptions, WorkerEvent } from './nats/worker-options.ts';
