export { credsAuthenticator, nkeyAuthenticator } from '@nats-io/transport-node';

export type { NatsServers } from './nats/wire/connection.ts';
export { nats, NatsPool } from './nats/executor-side/nats-pool.ts';
export type { NatsPoolOptions } from './nats/executor-side/nats-pool.ts';
export { NatsWorker } from './nats/worker-side/nats-worker.ts';
export type { NatsWorkerOptions, WorkerEvent } from './nats/worker-side/worker-options.ts';
