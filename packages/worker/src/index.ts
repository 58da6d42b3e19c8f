export { encodeFrame, FrameError, FrameReader, HEADER_ALLOWANCE } from './frame.ts';
export type { Frame } from './frame.ts';
export type { ErrorData, GuestFailure } from './guest-messages.ts';
export { CODE_PREFIX } from './guest-messages.ts';
export { HOST_PIPE, launchHost } from './host/launch.ts';
export type { HostSettings, LaunchOptions, SpawnHost } from './host/launch.ts';
export { PROTOCOL_VERSION } from './host/messages.ts';
export type { HostCommand, HostEvent } from './host/messages.ts';
export type {
  Job,
  JobLimits,
  SlotCommand,
  SlotEvent,
  SlotOutcome,
  SyntaxFailure,
} from './slot-messages.ts';
export type { SlotSettings } from './slot.ts';
export { SlotLostError, Slots } from './slots.ts';
export type { SlotRun } from './slots.ts';
export { checkIsolatedVm, isSafeIsolatedVm, UnsafeIsolatedVmError } from './version.ts';
