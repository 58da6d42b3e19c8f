import type { GuestErrorData } from '@glovebox/protocol/error-data';
import type { GuestConfig } from '@glovebox/protocol/guest-messages';

import { decode, encode, SerializationError, toGuestError } from './codec.ts';
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

/** The most bytes that the host sends of an error's details. */
const DETAILS_BYTES = 128 * 1024;

const FIRST_FRAME = '\n    at ';

interface PendingCall {
  /** An error created by the call; its stack is that of the call. */
  readonly callSite: Error;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Tools by name. It has no prototype; both the group and its tools are frozen. */
interface ToolGroup {
  [name: string]: unknown;
}

/** A call that waits because the limit of calls in flight is reached: a node of a linked list. */
interface QueuedCall {
  readonly callId: number;
  readonly tool: string;
  readonly text: string;
  next: QueuedCall | undefined;
}

export interface Tools {
  /** Starts a run and returns its tools. Tools whose names have dots are in nested groups. */
  begin(config: GuestConfig): ToolGroup;
  /** Settles the promise of a call. */
  reply(callId: number, ok: boolean, text: string): void;
  /** Ends the run. The promises of calls that are in flight never settle. */
  end(): void;
}

/**
 * An error of a tool, as guest code sees it: name, message, code and details, with the guest's own
 * stack of the call. It contains nothing else of the host.
 */
function toError(data: GuestErrorData & { details?: string }, callSite: Error): Error {
  const error = new ErrorConstructorCaptured(data.message);
  defineValue(error, 'name', data.name);
  if (data.code !== undefined) defineValue(error, 'code', data.code);
  if (data.details !== undefined)
    defineValue(error, 'details', decode(data.details, DETAILS_BYTES));
  defineValue(error, 'stack', `${data.name}: ${data.message}${framesOf(callSite)}`);
  return error;
}

/** The frames of an error's stack. Guest code can customise stacks: it may be any value, or throw. */
function framesOf(error: Error): string {
  try {
    const stack = stackOf(error);
    const start = typeof stack === 'string' ? StringIndexOf(stack, FIRST_FRAME) : -1;
    return start < 0 ? '' : StringSlice(stack, start);
  } catch {
    return '';
  }
}

/** Adds a tool at the path of its name: `orders.total` goes into the group `orders`. */
function addTool(tools: ToolGroup, name: string, tool: unknown): void {
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
 * The guest's side of tool calls. Each call returns a promise that the host settles later, so calls
 * run in parallel and never block the isolate.
 *
 * @param send Sends a call to the host.
 * @param failRun Ends the run with the JSON of a failure.
 */
export function createTools(
  send: (callId: number, tool: string, args: string) => void,
  failRun: (failure: string) => void,
): Tools {
  const pending = new MapConstructor<number, PendingCall>();
  let config: GuestConfig | undefined;
  let calls = 0;
  let inFlight = 0;
  let lastId = 0;
  // Queue of the calls over the limit of calls in flight.
  let firstQueued: QueuedCall | undefined;
  let lastQueued: QueuedCall | undefined;

  function dispatch(callId: number, tool: string, text: string): void {
    inFlight++;
    send(callId, tool, text);
  }

  function invoke(tool: string, input: unknown, count: number): Promise<unknown> {
    const callSite = new ErrorConstructorCaptured();
    return new PromiseConstructor<unknown>((resolve, reject) => {
      // Background code of the guest may call a tool after the run has ended.
      if (config === undefined) {
        throw new ErrorConstructorCaptured(`The run has ended; ${tool} was not called.`);
      }
      if (count > 1) {
        throw new TypeErrorConstructor(`${tool} takes one argument, but ${count} were given.`);
      }
      if (++calls > config.toolCalls) {
        const error = new ErrorConstructorCaptured(`More than ${config.toolCalls} tool calls.`);
        failRun(failure('call-limit', error, limitFields(config.toolCalls, calls)));
        return;
      }
      let text: string;
      try {
        text = encode(input, config.toolArgBytes);
      } catch (error) {
        if (error instanceof SerializationError && error.limit === 'maxBytes') {
          failRun(failure('argument-limit', error, limitFields(config.toolArgBytes, error.used)));
          return;
        }
        throw toGuestError(error);
      }
      const callId = ++lastId;
      MapSet(pending, callId, { callSite, resolve, reject });
      if (inFlight < config.toolCallsInFlight) {
        dispatch(callId, tool, text);
        return;
      }
      const queued: QueuedCall = { callId, tool, text, next: undefined };
      if (lastQueued === undefined) firstQueued = queued;
      else lastQueued.next = queued;
      lastQueued = queued;
    });
  }

  function dispatchQueued(): void {
    const next = firstQueued;
    if (next === undefined) return;
    firstQueued = next.next;
    if (firstQueued === undefined) lastQueued = undefined;
    dispatch(next.callId, next.tool, next.text);
  }

  return {
    begin(runConfig) {
      config = runConfig;
      calls = 0;
      inFlight = 0;
      const tools = ObjectCreate(null) as ToolGroup;
      for (let index = 0; index < runConfig.tools.length; index++) {
        const name = runConfig.tools[index] as string;
        // A method of an object literal has no `prototype` and cannot be constructed.
        const { [name]: tool } = {
          [name](input?: unknown) {
            return invoke(name, input, arguments.length);
          },
        };
        addTool(tools, name, ObjectFreeze(tool));
      }
      freezeGroup(tools);
      return tools;
    },
    reply(callId, ok, text) {
      const call = MapGet(pending, callId);
      if (call === undefined) return;
      MapDelete(pending, callId);
      inFlight--;
      dispatchQueued();
      try {
        if (ok) {
          call.resolve(decode(text, config?.toolResultBytes ?? 0));
        } else {
          call.reject(toError(JSONParse(text) as GuestErrorData, call.callSite));
        }
      } catch (error) {
        call.reject(toGuestError(error));
      }
    },
    end() {
      config = undefined;
      MapClear(pending);
      firstQueued = undefined;
      lastQueued = undefined;
    },
  };
}

/** Encodes the result of a run as `safe:` text, or describes why that fails. */
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
