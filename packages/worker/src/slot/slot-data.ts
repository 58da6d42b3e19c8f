import type { SlotSettings } from '@glovebox/protocol/host-messages';

/** `workerData` of a slot's thread. */
export interface SlotData extends SlotSettings {
  /** Shared by all threads of the process. A thread holds the lock while it makes a snapshot. */
  readonly snapshotLock: Int32Array;
}

/** Posted by a slot's thread when its code has loaded. It posts no other message to its parent port. */
export const SLOT_LOADED = 'slot-loaded';
