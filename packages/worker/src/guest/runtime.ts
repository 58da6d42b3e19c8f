import { OPTIONAL_GLOBALS, PROVIDED_GLOBALS, TOOLS_GLOBAL } from '@glovebox/protocol/guest-globals';
import type { ProvidedGlobal } from '@glovebox/protocol/guest-globals';
import type { GuestCommand, GuestConfig, GuestMessage } from '@glovebox/protocol/guest-messages';
import { CODE_PREFIX } from '@glovebox/protocol/guest-source';

import { atob, btoa } from './atob.ts';
import { clone, decode, toGuestError } from './codec.ts';
import { createConsole } from './console.ts';
import { makeDeterministic } from './determinism.ts';
import { reportFinalizers } from './finalizers.ts';
import { failure } from './guest-failure.ts';
import {
  DateNow,
  defineValue,
  FunctionToString,
  indirectEval,
  JSONParse,
  ObjectDefineProperty,
  ObjectGetOwnPropertyDescriptor,
  ObjectKeys,
  PromiseThen,
} from './intrinsics.ts';
import { TextDecoder, TextEncoder } from './text-encoding.ts';
import { createTimers } from './timers.ts';
import { createTools, serializeResult } from './tool-calls.ts';

/** The encoded variables of a run that has none. */
const NO_VARIABLES = 'safe:{}';

/** More than most isolates can hold, so that in effect their memory limits a clone. */
const CLONE_BYTES = 256 * 1024 * 1024;

function defineGlobal(name: string, value: unknown, writable: boolean): void {
  defineValue(globalThis, name, value, writable);
}

function structuredClone(value: unknown): unknown {
  try {
    return clone(value, CLONE_BYTES);
  } catch (error) {
    throw toGuestError(error, 'DataCloneError');
  }
}

/**
 * Prepares the globals of an isolate and returns the function that receives the thread's commands.
 * Called once per isolate, before any guest code.
 *
 * @param send Sends a message to the thread. Only this closure holds it.
 * @param features Optional globals to keep, such as `WebAssembly`.
 */
export default function bootGuest(
  send: (...message: GuestMessage) => void,
  features: string,
): (...command: GuestCommand) => void {
  for (const name of OPTIONAL_GLOBALS) {
    if (!features.includes(name)) Reflect.deleteProperty(globalThis, name);
  }

  reportFinalizers(() => send('finalizers'));

  // Number of the current run, so that callbacks of an earlier run can detect that they are stale.
  let run = 0;
  let running = false;

  const guestConsole = createConsole((level, text) => {
    if (running) send('log', level, text);
  });
  const timers = createTimers(
    (delayMs) => send('wake', delayMs),
    (error) => guestConsole.write('error', [error], 'Uncaught in a timer:'),
  );
  const tools = createTools(
    (callId, tool, args) => send('call', callId, tool, args),
    (text) => end('fail', text),
  );

  const started = DateNow();
  const provided: Record<ProvidedGlobal, unknown> = {
    TextDecoder,
    TextEncoder,
    atob,
    btoa,
    clearInterval: timers.clear,
    clearTimeout: timers.clear,
    console: guestConsole.console,
    performance: { now: () => DateNow() - started, timeOrigin: started },
    setInterval: timers.setInterval,
    setTimeout: timers.setTimeout,
    structuredClone,
  };
  for (let index = 0; index < PROVIDED_GLOBALS.length; index++) {
    const name = PROVIDED_GLOBALS[index] as ProvidedGlobal;
    defineGlobal(name, provided[name], true);
  }

  function end(kind: 'end' | 'fail', text: string): void {
    if (!running) return;
    running = false;
    timers.reset();
    tools.end();
    if (kind === 'end') send('end', text);
    else send('fail', text);
  }

  /** Compiles the guest's code as a function. Returns undefined if it does not compile. */
  function compile(source: string, filename: string): (() => Promise<unknown>) | undefined {
    const text = `${CODE_PREFIX}${source}\n}`;
    let message: unknown;
    try {
      // With `eval` the line numbers are those of the source; AsyncFunction() would shift them.
      const code = indirectEval(`${text})\n//# sourceURL=${filename}`);
      // Source that closes the function and opens another one does not give a function with this
      // text. It has then run code while it was evaluated; as a function it could do the same.
      if (typeof code === 'function' && `(${FunctionToString(code)}` === text) {
        return code as () => Promise<unknown>;
      }
    } catch (error) {
      // Own property only: guest code of an earlier run may have changed the prototype.
      message = ObjectGetOwnPropertyDescriptor(error, 'message')?.value;
    }
    send('syntax', typeof message === 'string' ? message : 'The code does not compile.');
    return undefined;
  }

  /** Defines the guest's variables and tools. */
  function prepare(config: GuestConfig, variables: string): void {
    if (config.deterministic !== null) makeDeterministic(config.deterministic);
    if (variables !== NO_VARIABLES) {
      const values = decode(variables, config.variablesBytes) as Record<string, unknown>;
      const names = ObjectKeys(values);
      for (let index = 0; index < names.length; index++) {
        const name = names[index] as string;
        defineGlobal(name, values[name], false);
      }
    }
    const byName = tools.begin(config);
    defineGlobal(TOOLS_GLOBAL, byName, false);
    const toolNames = ObjectKeys(byName);
    for (let index = 0; index < toolNames.length; index++) {
      const name = toolNames[index] as string;
      defineGlobal(name, byName[name], false);
    }
    for (let index = 0; index < config.declare.length; index++) {
      const name = config.declare[index] as string;
      const present = ObjectGetOwnPropertyDescriptor(globalThis, name);
      if (present?.writable !== true) defineGlobal(name, undefined, true);
    }
  }

  function start(source: string, variables: string, configText: string): void {
    const config = JSONParse(configText) as GuestConfig;
    const code = compile(source, config.filename);
    if (code === undefined) return;
    const id = ++run;
    running = true;
    guestConsole.begin(config.logBytes);
    try {
      prepare(config, variables);
    } catch (error) {
      // Code of an earlier run has changed the globals of the session.
      end('fail', failure('thrown', error));
      return;
    }

    const promise: unknown = code();
    // With an own `constructor`, `then` does not read one from a prototype that guest code may have
    // changed.
    ObjectDefineProperty(promise, 'constructor', {
      __proto__: null,
      value: undefined,
    } as PropertyDescriptor);
    PromiseThen(
      promise as Promise<unknown>,
      (value) => {
        if (id !== run || !running) return;
        const result = serializeResult(value, config.resultBytes);
        if ('text' in result) end('end', result.text);
        else end('fail', result.failure);
      },
      (error) => {
        if (id === run && running) end('fail', failure('thrown', error));
      },
    );
  }

  return (...command) => {
    switch (command[0]) {
      case 'start':
        return start(command[1], command[2], command[3]);
      case 'reply':
        return tools.reply(command[1], command[2], command[3]);
      case 'tick':
        return timers.tick();
    }
  };
}
