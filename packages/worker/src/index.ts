export { encodeFrame, FrameError, FrameReader, HEADER_ALLOWANCE } from './frame.ts';
export type { Frame } from './frame.ts';
export type { ErrorData, GuestFailure } from './guest-messages.ts';
export { CODE_PREFIX, MAX_BIGINT_DIGITS } from './guest-messages.ts';
export { HOST_PIPE, launchHost, slotPipe } from './host/launch.ts';
export type { HostSettings, LaunchOptions, SpawnHost } from './host/launch.ts';
export { PROTOCOL_VERSION } from './host/messages.ts';
export type { HostEvent, SlotCommandHeader, SlotEventHeader } from './host/messages.ts';
export type { Job, JobLimits, RunEvent, SlotOutcome, SyntaxFailure } from './slot-messages.ts';
export type { SlotSettings } from './slot/slot-main.ts';
export { SlotLostError } from './slot/slot-thread.ts';
export { ThreadSlot } from './thread-slot.ts';
export type { SlotRun } from './thread-slot.ts';
export {
  checkIsolatedVm,
  isSafeIsolatedVm,
  UnsafeIsolatedVmError,
} from './slot/isolated-vm-version.ts';
