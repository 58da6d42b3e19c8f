import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { LimitsInput } from '@glovebox/protocol/limits';

import type { QuarantineOptions } from '../../pools/quarantine.ts';
import type { NatsServers } from '../wire/connection.ts';
import type { StreamSettings } from './job-stream.ts';
import type { LeaseEnd } from './lease.ts';

/** What a worker reports to its operator. */
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
  /** The worker's name, unique in its pool. */
  readonly name: string;
  readonly version: string;
  /** How many runs execute at the same time, each in its own host process. */
  readonly slots: number;
  readonly maxSessions: number;
  /** Language features that are off in guests unless they are listed here. */
  readonly features: SlotSettings['features'];
  /** The highest limits of a run, whatever limits it requests. */
  readonly limits: LimitsInput;
  readonly stream: StreamSettings;
  readonly quarantine: QuarantineOptions;
  readonly onEvent: (event: WorkerEvent) => void;
}
