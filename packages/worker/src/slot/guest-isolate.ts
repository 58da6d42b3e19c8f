import type {
  GuestCommand,
  GuestConfig,
  GuestMessage,
  RunMessage,
} from '@glovebox/protocol/guest-messages';
import { RUNTIME_FILENAME } from '@glovebox/protocol/guest-source';
import { DEFAULT_LIMITS, guestLimitsOf } from '@glovebox/protocol/limits';
import ivm from 'isolated-vm';

import { GUEST_RUNTIME_SOURCE } from '../generated/guest-runtime.ts';

/**
 * The runtime as a function. Its modules are evaluated when it is called, not when it is defined: a
 * context that is made from a snapshot gets V8's newest features only after the snapshot's own code
 * has run, and the modules take hold of them.
 */
const RUNTIME = `(function(send,features){"use strict";${GUEST_RUNTIME_SOURCE};return bootGuest(send,features)})`;
/** Holds the runtime inside the snapshot, until the isolate takes it away. */
const BOOT = '__gloveboxBoot';

/** How programs of ours are run, before there is a run. */
const OWN_CONFIG: GuestConfig = {
  filename: 'warm-up.js',
  tools: [],
  declare: [],
  ...guestLimitsOf(DEFAULT_LIMITS),
  deterministic: null,
};

/**
 * Runs an ordinary program once, so that the functions it needs are in the snapshot as byte code.
 * Nothing else of this script stays in it. The features that the snapshot lacks have stand-ins.
 */
const WARM_UP = `
  globalThis.SuppressedError ??= Error;
  globalThis.SharedArrayBuffer ??= ArrayBuffer;
  globalThis.Float16Array ??= Uint16Array;
  Error.isError ??= (value) => value instanceof Error;
  const command = ${BOOT}(() => {}, '');
  const config = JSON.stringify(${JSON.stringify({ ...OWN_CONFIG, tools: ['tool'] })});
  command('start', 'console.log(1); return { sum: await tool([1, "two"]) }', 'safe:{"a":1}', config);
  command('reply', 1, true, 'safe:{"b":[1,null]}');
`;

export interface IsolateOptions {
  /** Limit of the V8 heap, in MiB. A guideline to V8, not a bound on the process. */
  readonly memoryMb: number;
  /** Optional globals to keep: `WebAssembly`, `SharedArrayBuffer`, `Atomics`. */
  readonly features: readonly string[];
}

/** A fresh isolate with the guest runtime in it and no guest code. */
export interface GuestIsolate {
  readonly isolate: ivm.Isolate;
  readonly memoryMb: number;
  /** Whether guest code may run while no command is under way. */
  actsByItself: boolean;
  /** Takes the messages of the guest's run; set before the first command. */
  onMessage: (...message: RunMessage) => void;
  /** Takes V8's last word on an isolate that it has lost control of. */
  onCatastrophe: (message: string) => void;
  /** Gives one command to the guest; rejects when the isolate was stopped meanwhile. */
  deliver(command: GuestCommand, timeoutMs: number): Promise<void>;
  /**
   * Runs a program of ours before there is a run, so that the isolate's first steps are behind it:
   * V8 links each call site once, and the system gives each page once. A run then takes a fifth less
   * time from end to end. Nothing of it is left for guest code to find.
   */
  rehearse(): Promise<void>;
}

const REHEARSAL_COMMAND: GuestCommand = [
  'start',
  'console.log("a"); return { a: [1, "b", true] }',
  'safe:{}',
  JSON.stringify(OWN_CONFIG),
];
const REHEARSAL_MS = 1000;

let snapshot: ivm.ExternalCopy<ArrayBuffer> | undefined;

/**
 * Makes a snapshot of the guest runtime, so that isolates need not compile it. Snapshots hold
 * machine code: this one is made of our own source, here, and never comes from elsewhere.
 *
 * @returns Whether isolates will start from the snapshot; without it they compile the source.
 */
export function prepareSnapshot(): boolean {
  try {
    snapshot = ivm.Isolate.createSnapshot(
      [{ code: `globalThis.${BOOT}=${RUNTIME}`, filename: RUNTIME_FILENAME }],
      WARM_UP,
    );
    createGuestIsolate({ memoryMb: 32, features: [] }).isolate.dispose();
    return true;
  } catch {
    snapshot = undefined;
    return false;
  }
}

/** Makes an isolate. Blocks the thread for about a millisecond. */
export function createGuestIsolate(options: IsolateOptions): GuestIsolate {
  const isolate = new ivm.Isolate({
    memoryLimit: options.memoryMb,
    ...(snapshot === undefined ? {} : { snapshot }),
    onCatastrophicError: (message) => guest.onCatastrophe(message),
  });
  const context = isolate.createContextSync();
  const receive = (...message: GuestMessage): void => {
    if (message[0] === 'finalizers') guest.actsByItself = true;
    else guest.onMessage(...message);
  };
  // The guest does not wait, and nothing of the host returns into it.
  const send = new ivm.Callback(receive, { ignored: true });
  const boot = takeRuntime(isolate, context);
  const command = boot.applySync(undefined, [send, options.features.join(' ')], {
    result: { reference: true },
  }) as ivm.Reference<(...command: GuestCommand) => void>;
  boot.release();

  const guest: GuestIsolate = {
    isolate,
    memoryMb: options.memoryMb,
    // WebAssembly compiles, and `Atomics.waitAsync` wakes, in tasks of V8.
    actsByItself: options.features.length > 0,
    onMessage: () => undefined,
    onCatastrophe: () => undefined,
    deliver: async (message, timeout) => {
      // Only the async API: a loop entered through the sync one cannot be stopped from outside.
      await command.apply(undefined, message, { timeout });
    },
    rehearse: () => guest.deliver(REHEARSAL_COMMAND, REHEARSAL_MS),
  };
  return guest;
}

/** The runtime's boot function, out of the snapshot or compiled. Nothing of it stays on the global. */
function takeRuntime(isolate: ivm.Isolate, context: ivm.Context): ivm.Reference {
  if (snapshot === undefined) {
    const script = isolate.compileScriptSync(RUNTIME, { filename: RUNTIME_FILENAME });
    return script.runSync(context, { reference: true });
  }
  const boot = context.global.getSync(BOOT, { reference: true });
  context.global.deleteSync(BOOT);
  return boot;
}
