export {
  checkIsolatedVm,
  isSafeIsolatedVm,
  UnsafeIsolatedVmError,
} from './slot/isolated-vm-version.ts';
export type { SlotLinkData } from './slot/slot-link.ts';
export { SlotLostError, SlotThread } from './slot/slot-thread.ts';
