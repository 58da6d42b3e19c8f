import { limitsSchema } from '@glovebox/protocol/limits-schema';
import { SerializationError } from '@glovebox/serializer/safe';
import { z } from 'zod';

import { timerMs } from '../../dispatch/dispatch-request.ts';
import { toJsonRpcError } from '../../dispatch/dispatch-result.ts';
import type { DispatchError } from '../../dispatch/dispatch-result.ts';
import { outcomeErrorToJson } from '../../executor/outcome-json.ts';
import type { Outcome } from '../../executor/outcome.ts';
import { eventJson } from '../../plan-execute/session-json.ts';
import { isGloveboxError } from '../../shared/errors.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';
import { describeTool } from '../../tools/describe-tool.ts';
import { toolTypes } from '../../tools/tool-types.ts';
import { MAX_REPLANS, MAX_STEPS } from '../service/run-plan.ts';
import { ServerRefusal } from '../service/service-refusal.ts';
import type { CallContext, Service } from '../service/service.ts';
import { JSON_RPC_CODES, JsonRpcFailure } from '../transport/json-rpc-codes.ts';
import { answerSchema, Approvals } from './approvals.ts';
import { formatSchema, readValue, readVariables, writeValue } from './formats.ts';
import type { Format } from './formats.ts';
import type { Method, MethodContext } from './json-rpc-connection.ts';
import { idSchema } from './json-rpc-messages.ts';

const executeSchema = z.strictObject({
  code: z.string(),
  variables: z.unknown().optional(),
  format: formatSchema,
  language: z.enum(['auto', 'javascript', 'typescript']).optional(),
  limits: limitsSchema.optional(),
  notifications: z.boolean().default(false),
  approval: z.boolean().default(false),
});

const dispatchSchema = z.strictObject({
  tool: z.string(),
  args: z.unknown().optional(),
  format: formatSchema,
  timeoutMs: timerMs.optional(),
  idempotencyKey: z.string().min(1).max(1024).optional(),
  notifications: z.boolean().default(false),
  approval: z.boolean().default(false),
});

const runSchema = z.strictObject({
  goal: z.string(),
  // The agent validates the steps.
  plan: z.array(z.unknown()).optional(),
  maxSteps: z.int().min(0).max(MAX_STEPS).optional(),
  maxReplans: z.int().min(0).max(MAX_REPLANS).optional(),
  review: z.boolean().default(false),
  notifications: z.boolean().default(false),
  approval: z.boolean().default(false),
});

const nothingSchema = z.strictObject({}).optional();
const cancelSchema = z.strictObject({ id: idSchema });

/** The methods of a server, by name. */
export function createMethods(service: Service): ReadonlyMap<string, Method> {
  const approvals = new Approvals();
  return new Map<string, Method>([
    ['execute', (params, context) => execute(service, approvals, params, context)],
    ['dispatch', (params, context) => dispatch(service, approvals, params, context)],
    ['run', (params, context) => run(service, approvals, params, context)],
    ['approve', (params) => ({ answered: approvals.answer(readParams(answerSchema, params)) })],
    ['tools.list', (params) => listTools(service, params)],
    ['cancel', cancel],
    // The notification that the Language Server Protocol uses.
    ['$/cancelRequest', cancel],
  ]);
}

const cancel: Method = (params, context) => {
  const { id } = readParams(cancelSchema, params);
  return { cancelled: context.cancel(id) };
};

async function execute(
  service: Service,
  approvals: Approvals,
  params: unknown,
  context: MethodContext,
): Promise<unknown> {
  const { notifications, approval, format, variables, ...request } = readParams(
    executeSchema,
    params,
  );
  const outcome = await withRpcErrors(() =>
    service.execute(
      {
        ...request,
        ...(variables === undefined ? {} : { variables: readVariables(variables, format) }),
      },
      callContext(context, approvals, { notifications, approval }),
    ),
  );
  return writeOutcome(outcome, format);
}

/** An outcome as JSON. A value that cannot be written in the client's format makes the run fail. */
function writeOutcome({ logs, usage, ...outcome }: Outcome, format: Format): unknown {
  if (!outcome.ok) return { ok: false, error: outcomeErrorToJson(outcome.error), logs, usage };
  try {
    return { ok: true, value: writeValue(outcome.value, format), logs, usage };
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    const { message, path } = error;
    const code = 'UNSERIALIZABLE_RESULT';
    const failed = { code, name: code, message, path, ran: 'yes', retryable: false };
    return { ok: false, error: failed, logs, usage };
  }
}

async function dispatch(
  service: Service,
  approvals: Approvals,
  params: unknown,
  context: MethodContext,
): Promise<unknown> {
  const { notifications, approval, format, args, ...request } = readParams(dispatchSchema, params);
  const result = await withRpcErrors(() =>
    service.dispatch(
      { ...request, args: readValue(args, format, 'args') },
      callContext(context, approvals, { notifications, approval }),
    ),
  );
  if (!result.ok) throw dispatchFailure(result.error);
  const { ok: _ok, value, ...facts } = result;
  try {
    return { value: writeValue(value, format), ...facts };
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    const { message, path } = error;
    const { attempts } = facts;
    throw dispatchFailure({
      kind: 'unserializable',
      code: JSON_RPC_CODES.INTERNAL_ERROR,
      message,
      path,
      attempts,
      retryable: false,
    });
  }
}

async function run(
  service: Service,
  approvals: Approvals,
  params: unknown,
  context: MethodContext,
): Promise<unknown> {
  const { notifications, approval, ...request } = readParams(runSchema, params);
  const calls = callContext(context, approvals, { notifications, approval });
  return (await withRpcErrors(() => service.run(request, calls))).toJSON();
}

function dispatchFailure(error: DispatchError): JsonRpcFailure {
  const { code, message, data } = toJsonRpcError(error);
  const { details, ...facts } = data;
  const written = details === undefined ? {} : { details: toTaggedJson(details) };
  return new JsonRpcFailure(code, message, { ...facts, ...written });
}

function listTools({ registry }: Service, params: unknown): unknown {
  readParams(nothingSchema, params);
  const tools = registry.list();
  return { tools: tools.map(describeTool), types: toolTypes(tools) };
}

function callContext(
  context: MethodContext,
  approvals: Approvals,
  wanted: { readonly notifications: boolean; readonly approval: boolean },
): CallContext {
  const { signal, id } = context;
  // A notification has no id, so no messages to the client can refer to it.
  if (id === undefined) return { signal };
  return {
    signal,
    ...(wanted.approval
      ? {
          approve: approvals.approveBy((question) =>
            context.notify('approval', { id, ...question }),
          ),
        }
      : {}),
    ...(wanted.notifications
      ? {
          onLog: (entry) => context.notify('log', { id, ...entry }),
          onEvent: (event) => context.notify('event', { id, ...event }),
          onPlanEvent: (event) => context.notify('event', { id, ...eventJson(event) }),
        }
      : {}),
  };
}

/** Turns errors that the client can correct, or can retry, into JSON-RPC errors. */
async function withRpcErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ServerRefusal) {
      const { code, message } = error;
      throw new JsonRpcFailure(JSON_RPC_CODES[code], message, { code, retryable: true });
    }
    if (isGloveboxError(error)) {
      const { code, message, path } = error;
      const isClosed = code === 'EXECUTOR_CLOSED';
      const rpcCode = isClosed ? JSON_RPC_CODES.SERVER_CLOSING : JSON_RPC_CODES.INVALID_PARAMS;
      throw new JsonRpcFailure(rpcCode, message, { code, ...(path === undefined ? {} : { path }) });
    }
    throw error;
  }
}

function readParams<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) =>
    [path.map(String).join('.'), message].filter((part) => part !== '').join(': '),
  );
  throw new JsonRpcFailure(JSON_RPC_CODES.INVALID_PARAMS, `Invalid params: ${faults.join('; ')}`);
}
