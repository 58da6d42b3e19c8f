import type { SlotSettings } from '@glovebox/protocol/host-messages';

/** What a slot's thread is given at its start: the settings with what the threads of a process share. */
export interface SlotData extends SlotSettings {
  /** By which they take turns making snapshots. */
  readonly turns: Int32Array;
}

/** The only message that a slot's thread posts by itself: its code has loaded. */
export const SLOT_LOADED = 'slot-loaded';
