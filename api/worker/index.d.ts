// The types of @glovebox/worker, written by `npx -y pnpm run api`; not to be edited.
import {
  MessagePort,
} from "node:worker_threads";
type SlotLinkData = {
  readonly kind: 'port';
  readonly port: MessagePort;
} | {
  readonly kind: 'pipe';
  readonly fd: number;
};
export declare class SlotLostError extends Error {
  readonly name = "SlotLostError";
}
interface SlotSettings {
  readonly memoryMb: number;
  readonly features: readonly string[];
  readonly prepared: number;
  readonly session: boolean;
}
export declare class SlotThread {
  #private;
  constructor(settings: SlotSettings, link: SlotLinkData);
  loaded(): Promise<void>;
  ended(): Promise<void>;
  terminate(): void;
  destroy(): Promise<void>;
}
export declare class UnsafeIsolatedVmError extends Error {
  readonly name = "UnsafeIsolatedVmError";
}
export declare function checkIsolatedVm(): string;
export declare function isSafeIsolatedVm(version: string): boolean;
export type {
  SlotLinkData,
};
