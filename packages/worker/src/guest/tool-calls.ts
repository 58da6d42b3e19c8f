import type { GuestErrorData } from '@glovebox/protocol/error-data';
import type { GuestConfig } from '@glovebox/protocol/guest-messages';

import { decode, encode, forGuest, SerializationError } from './codec.ts';
import { failure, limitFields, pathField } from './guest-failure.ts';
import {
  defineValue,
  ErrorConstructorCaptured,
  JSONParse,
  MapClear,
  MapConstructor,
  MapDelete,
  MapGet,
  MapSet,
  ObjectCreate,
  ObjectFreeze,
  ObjectKeys,
  PromiseConstructor,
  stackOf,
  StringIndexOf,
  StringSlice,
  TypeErrorConstructor,
} from './intrinsics.ts';

/** As much as the host sends of an error's details. */
const DETAILS_BYTES = 128 * 1024;

const FIRST_FRAME = '\n    at ';

interface Pending {
  /** An error made where the call was: its stack says where. */
  readonly site: Error;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Tools by name, without a prototype; frozen, as each tool is. */
interface ToolGroup {
  [name: string]: unknown;
}

interface Waiting {
  readonly callId: number;
  readonly tool: string;
  readonly text: string;
  next: Waiting | undefined;
}

export interface Tools {
  /** The tools of the run: one function for each, in groups where their names have dots. */
  begin(config: GuestConfig): ToolGroup;
  /** Settles a call. */
  reply(callId: number, ok: boolean, text: string): void;
  /** Forgets every call of the run: their promises stay as they are. */
  end(): void;
}

/**
 * An error of a tool, as the guest sees it: name, message, code, details, and the stack of the
 * call; nothing of the host.
 */
function toError(data: GuestErrorData & { details?: string }, site: Error): Error {
  const error = new ErrorConstructorCaptured(data.message);
  defineValue(error, 'name', data.name);
  if (data.code !== undefined) defineValue(error, 'code', data.code);
  if (data.details !== undefined)
    defineValue(error, 'details', decode(data.details, DETAILS_BYTES));
  defineValue(error, 'stack', `${data.name}: ${data.message}${framesOf(site)}`);
  return error;
}

/** The frames of an error's stack. What guest code makes of stacks may be anything, or throw. */
function framesOf(site: Error): string {
  try {
    const stack = stackOf(site);
    const start = typeof stack === 'string' ? StringIndexOf(stack, FIRST_FRAME) : -1;
    return start < 0 ? '' : StringSlice(stack, start);
  } catch {
    return '';
  }
}

/** Puts a tool where its name says: `orders.total` into a group `orders`. */
function place(tools: ToolGroup, name: string, tool: unknown): void {
  let group = tools;
  let start = 0;
  for (
    let dot = StringIndexOf(name, '.');
    dot >= 0;
    start = dot + 1, dot = StringIndexOf(name, '.', start)
  ) {
    group = (group[StringSlice(name, start, dot)] ??= ObjectCreate(null)) as ToolGroup;
  }
  group[StringSlice(name, start)] = tool;
}

function freezeGroup(group: ToolGroup): void {
  const names = ObjectKeys(group);
  for (let index = 0; index < names.length; index++) {
    const member = group[names[index] as string];
    if (typeof member === 'object') freezeGroup(member as ToolGroup);
  }
  ObjectFreeze(group);
}

/**
 * The guest's side of tool calls: each is a promise that the host settles later, so calls run in
 * parallel and the isolate never waits.
 *
 * @param send Sends a call out.
 * @param exceeded Ends the run with the JSON of a failure.
 */
export function createTools(
  send: (callId: number, tool: string, args: string) => void,
  exceeded: (failure: string) => void,
): Tools {
  const pending = new MapConstructor<number, Pending>();
  let config: GuestConfig | undefined;
  let calls = 0;
  let inFlight = 0;
  let lastId = 0;
  // Calls beyond the number allowed in flight wait here, in order.
  let firstWaiting: Waiting | undefined;
  let lastWaiting: Waiting | undefined;

  function dispatch(callId: number, tool: string, text: string): void {
    inFlight++;
    send(callId, tool, text);
  }

  function invoke(tool: string, input: unknown, count: number): Promise<unknown> {
    const site = new ErrorConstructorCaptured();
    return new PromiseConstructor<unknown>((resolve, reject) => {
      // Calls of detached code, after the run has ended, are told so.
      if (config === undefined) {
        throw new ErrorConstructorCaptured(`The run has ended; ${tool} was not called.`);
      }
      if (count > 1) {
        throw new TypeErrorConstructor(`${tool} takes one argument, but ${count} were given.`);
      }
      if (++calls > config.toolCalls) {
        const error = new ErrorConstructorCaptured(`More than ${config.toolCalls} tool calls.`);
        exceeded(failure('call-limit', error, limitFields(config.toolCalls, calls)));
        return;
      }
      let text: string;
      try {
        text = encode(input, config.toolArgBytes);
      } catch (error) {
        if (error instanceof SerializationError && error.limit === 'maxBytes') {
          exceeded(failure('argument-limit', error, limitFields(config.toolArgBytes, error.used)));
          return;
        }
        throw forGuest(error);
      }
      const callId = ++lastId;
      MapSet(pending, callId, { site, resolve, reject });
      if (inFlight < config.toolCallsInFlight) {
        dispatch(callId, tool, text);
        return;
      }
      const waiting: Waiting = { callId, tool, text, next: undefined };
      if (lastWaiting === undefined) firstWaiting = waiting;
      else lastWaiting.next = waiting;
      lastWaiting = waiting;
    });
  }

  function dispatchWaiting(): void {
    const next = firstWaiting;
    if (next === undefined) return;
    firstWaiting = next.next;
    if (firstWaiting === undefined) lastWaiting = undefined;
    dispatch(next.callId, next.tool, next.text);
  }

  return {
    begin(given) {
      config = given;
      calls = 0;
      inFlight = 0;
      const tools = ObjectCreate(null) as ToolGroup;
      for (let index = 0; index < given.tools.length; index++) {
        const name = given.tools[index] as string;
        // A method of an object literal: no `prototype`, no `this`, cannot be constructed.
        const { [name]: tool } = {
          [name](input?: unknown) {
            return invoke(name, input, arguments.length);
          },
        };
        place(tools, name, ObjectFreeze(tool));
      }
      freezeGroup(tools);
      return tools;
    },
    reply(callId, ok, text) {
      const call = MapGet(pending, callId);
      if (call === undefined) return;
      MapDelete(pending, callId);
      inFlight--;
      dispatchWaiting();
      try {
        if (ok) {
          call.resolve(decode(text, config?.toolResultBytes ?? 0));
        } else {
          call.reject(toError(JSONParse(text) as GuestErrorData, call.site));
        }
      } catch (error) {
        call.reject(forGuest(error));
      }
    },
    end() {
      config = undefined;
      MapClear(pending);
      firstWaiting = undefined;
      lastWaiting = undefined;
    },
  };
}

/** A value as `safe:` text, or the failure to end the run with. */
export function serializeResult(
  value: unknown,
  maxBytes: number,
): { text: string } | { failure: string } {
  try {
    return { text: encode(value, maxBytes) };
  } catch (error) {
    if (!(error instanceof SerializationError)) return { failure: failure('thrown', error) };
    if (error.code === 'LIMIT') {
      const fields = limitFields(error.allowed, error.used) + pathField(error.path);
      return { failure: failure('result-limit', error, fields) };
    }
    return { failure: failure('unserializable', error, pathField(error.path)) };
  }
}
