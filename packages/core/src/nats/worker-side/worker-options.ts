import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { LimitsInput } from '@glovebox/protocol/limits';

import type { QuarantineOptions } from '../../pools/quarantine.ts';
import type { NatsServers } from '../wire/nats-connection.ts';
import type { StreamSettings } from './job-stream.ts';
import type { LeaseEnd } from './lease.ts';

/** What a worker has to tell its owner. */
export type WorkerEvent =
  | { readonly type: 'connected' | 'disconnected' | 'draining' }
  | { readonly type: 'run'; readonly end: LeaseEnd; readonly ms: number; readonly attempt: number }
  | { readonly type: 'waiting' | 'refused'; readonly why: string }
  | { readonly type: 'killed'; readonly hash: string }
  | { readonly type: 'error'; readonly message: string };

export interface NatsWorkerOptions {
  readonly servers: NatsServers;
  readonly tenant: string;
  readonly pool: string;
  /** The worker's name, which no other worker of the pool may have. */
  readonly name: string;
  readonly version: string;
  /** Runs at the same time, each in a host of its own. */
  readonly slots: number;
  readonly maxSessions: number;
  /** Parts of the language that guests do without unless they are named here. */
  readonly features: SlotSettings['features'];
  /** What runs may have at most, whatever they ask for. */
  readonly limits: LimitsInput;
  readonly stream: StreamSettings;
  readonly quarantine: QuarantineOptions;
  readonly onEvent: (event: WorkerEvent) => void;
}
