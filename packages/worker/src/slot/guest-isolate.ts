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
 * The source of the runtime as a function. Its modules are evaluated when it is called, not when it
 * is defined: V8 adds its newest features to a context only after it has restored the snapshot, and
 * the modules capture those features.
 */
const RUNTIME = `(function(send,features){"use strict";${GUEST_RUNTIME_SOURCE};return bootGuest(send,features)})`;
/** Global that holds the runtime in the snapshot. `takeRuntime` deletes it before any guest code. */
const BOOT = '__gloveboxBoot';

/** Configuration of our own warm-up programs. */
const WARM_UP_CONFIG: GuestConfig = {
  filename: 'warm-up.js',
  tools: [],
  declare: [],
  ...guestLimitsOf(DEFAULT_LIMITS),
  deterministic: null,
};

/**
 * Warm-up script of the snapshot. It runs a typical program once, so that the snapshot contains the
 * byte code of the functions that a run needs; V8 discards all other effects of the script. Some
 * features do not exist while a snapshot is made: the script puts similar ones in their place.
 */
const SNAPSHOT_WARM_UP = `
  globalThis.SuppressedError ??= Error;
  globalThis.SharedArrayBuffer ??= ArrayBuffer;
  globalThis.Float16Array ??= Uint16Array;
  Error.isError ??= (value) => value instanceof Error;
  const command = ${BOOT}(() => {}, '');
  const config = JSON.stringify(${JSON.stringify({ ...WARM_UP_CONFIG, tools: ['tool'] })});
  command('start', 'console.log(1); return { sum: await tool([1, "two"]) }', 'safe:{"a":1}', config);
  command('reply', 1, true, 'safe:{"b":[1,null]}');
`;

export interface IsolateOptions {
  /** Limit of the V8 heap, in MiB. V8 may exceed it; the memory of the process is not bounded. */
  readonly memoryMb: number;
  /** Optional globals to keep: `WebAssembly`, `SharedArrayBuffer`, `Atomics`. */
  readonly features: readonly string[];
}

/** An isolate that contains the guest runtime. A fresh one contains no guest code. */
export interface GuestIsolate {
  readonly isolate: ivm.Isolate;
  readonly memoryMb: number;
  /** Whether guest code may run while no command is in progress. */
  runsBetweenCommands: boolean;
  /** Receives the messages of the run; set before the first command. */
  onMessage: (...message: RunMessage) => void;
  /** Receives V8's error message when it has lost control of the isolate. */
  onCatastrophicError: (message: string) => void;
  /** Delivers one command to the guest runtime. Rejects when the isolate is stopped meanwhile. */
  deliver(command: GuestCommand, timeoutMs: number): Promise<void>;
  /**
   * Runs a small program of our own in a fresh isolate, so that the first real run does not pay for
   * one-time costs: V8 initialises each call site once, and the system allocates each page once. A
   * warm run takes a fifth less time from end to end. Guest code finds no trace of the program.
   */
  warmUp(): Promise<void>;
}

const WARM_UP_COMMAND: GuestCommand = [
  'start',
  'console.log("a"); return { a: [1, "b", true] }',
  'safe:{}',
  JSON.stringify(WARM_UP_CONFIG),
];
const WARM_UP_TIMEOUT_MS = 1000;

let snapshot: ivm.ExternalCopy<ArrayBuffer> | undefined;

/**
 * Makes a snapshot of the guest runtime, so that isolates do not have to compile it. A snapshot
 * contains machine code, so it must only ever be made here, from our own source, and never be loaded
 * from anywhere else.
 *
 * @returns Whether isolates start from the snapshot. Otherwise they compile the source.
 */
export function prepareSnapshot(): boolean {
  try {
    snapshot = ivm.Isolate.createSnapshot(
      [{ code: `globalThis.${BOOT}=${RUNTIME}`, filename: RUNTIME_FILENAME }],
      SNAPSHOT_WARM_UP,
    );
    createGuestIsolate({ memoryMb: 32, features: [] }).isolate.dispose();
    return true;
  } catch {
    snapshot = undefined;
    return false;
  }
}

/** Creates an isolate. Blocks the thread for about a millisecond. */
export function createGuestIsolate(options: IsolateOptions): GuestIsolate {
  const isolate = new ivm.Isolate({
    memoryLimit: options.memoryMb,
    ...(snapshot === undefined ? {} : { snapshot }),
    onCatastrophicError: (message) => guest.onCatastrophicError(message),
  });
  const context = isolate.createContextSync();
  const receive = (...message: GuestMessage): void => {
    if (message[0] === 'finalizers') guest.runsBetweenCommands = true;
    else guest.onMessage(...message);
  };
  // `ignored`: the guest does not wait for the call, and gets no value of the host from it.
  const send = new ivm.Callback(receive, { ignored: true });
  const boot = takeRuntime(isolate, context);
  const command = boot.applySync(undefined, [send, options.features.join(' ')], {
    result: { reference: true },
  }) as ivm.Reference<(...command: GuestCommand) => void>;
  boot.release();

  const guest: GuestIsolate = {
    isolate,
    memoryMb: options.memoryMb,
    // WebAssembly compilation and `Atomics.waitAsync` resume guest code in tasks of V8.
    runsBetweenCommands: options.features.length > 0,
    onMessage: () => undefined,
    onCatastrophicError: () => undefined,
    deliver: async (message, timeout) => {
      // Not the sync API: an endless loop that starts there cannot be stopped from outside.
      await command.apply(undefined, message, { timeout });
    },
    warmUp: () => guest.deliver(WARM_UP_COMMAND, WARM_UP_TIMEOUT_MS),
  };
  return guest;
}

/** The boot function of the runtime, from the snapshot or compiled. It does not stay a global. */
function takeRuntime(isolate: ivm.Isolate, context: ivm.Context): ivm.Reference {
  if (snapshot === undefined) {
    const script = isolate.compileScriptSync(RUNTIME, { filename: RUNTIME_FILENAME });
    return script.runSync(context, { reference: true });
  }
  const boot = context.global.getSync(BOOT, { reference: true });
  context.global.deleteSync(BOOT);
  return boot;
}
