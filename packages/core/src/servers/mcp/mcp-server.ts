import { SerializationError } from '@glovebox/serializer/safe';
import { McpServer } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  InputRequiredResult,
  McpRequestContext,
  ServerContext,
  StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';

import type { Approve } from '../../dispatch/tool-approval.ts';
import { GloveboxError, isGloveboxError } from '../../shared/errors.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import { ServerRefusal } from '../service/service-refusal.ts';
import type { CallContext, Service } from '../service/service.ts';
import { describeExecute, execute, executeSchema } from './execute-tool.ts';
import type { McpSettings } from './mcp-options.ts';
import { OUTCOME_SCHEMA, textResult } from './mcp-results.ts';
import { progressOf } from './progress.ts';
import { ANSWER_MS, canAsk, capabilitiesOf, decisionOf, questionOf } from './questions.ts';
import { callTool, describeForMcp } from './registered-tool.ts';
import { Rounds } from './rounds.ts';
import { describeRun, run, runSchema, SESSION_SCHEMA } from './run-tool.ts';

/** Names of the tools that run code and execute plans. */
const EXECUTE = 'execute';
const RUN = 'run';

/** Handles a call; the arguments are as the client sent them, not validated. */
type Handler = (args: unknown, context: CallContext) => Promise<CallToolResult>;

/** Creates servers, one for each connection or request; they share the service and the rounds. */
export class McpServers {
  readonly #service: Service;
  readonly #info: { readonly name: string; readonly version: string };
  readonly #onError: (error: unknown) => void;
  readonly #rounds = new Rounds();

  /** @throws {GloveboxError} `DUPLICATE_TOOL` if the registry has a tool `execute` or `run`. */
  constructor(service: Service, { name, version, onError }: McpSettings) {
    this.#service = service;
    this.#info = { name, version };
    this.#onError = onError;
    const taken = [EXECUTE, RUN].find((tool) => service.registry.find(tool) !== undefined);
    if (taken !== undefined) {
      const message = `A tool cannot be named ${taken}: the server has its own tool of that name.`;
      throw new GloveboxError('DUPLICATE_TOOL', message, { path: 'registry' });
    }
  }

  /** Creates a server with `execute`, `run` and the tools that the registry has now. */
  readonly create = ({ era }: McpRequestContext): McpServer => {
    const server = new McpServer(this.#info, { requestState: { verify: this.#rounds.verify } });
    const handle =
      (tool: string, handler: Handler) =>
      (args: unknown, context: ServerContext): Promise<CallToolResult | InputRequiredResult> => {
        const { signal: cancelled } = context.mcpReq;
        const disconnected = context.http?.req?.signal;
        const signal =
          disconnected === undefined ? cancelled : AbortSignal.any([cancelled, disconnected]);
        return era === 'modern'
          ? this.#callInRounds(tool, args, handler, context, signal)
          : this.#withErrorResults(() =>
              handler(args, {
                signal,
                approve: approveBy(server, context),
                ...progressOf(() => context),
              }),
            );
      };
    const tools = this.#service.registry.list();
    server.registerTool(
      EXECUTE,
      {
        title: 'Run code',
        description: describeExecute(tools),
        inputSchema: advertise(executeSchema),
        outputSchema: advertise(OUTCOME_SCHEMA),
        annotations:
          tools.length === 0
            ? { readOnlyHint: true, openWorldHint: false }
            : { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      },
      handle(EXECUTE, (args, context) => execute(this.#service, args, context)),
    );
    const { hasPlanner } = this.#service;
    server.registerTool(
      RUN,
      {
        title: 'Execute a plan',
        description: describeRun(hasPlanner),
        inputSchema: advertise(runSchema(hasPlanner)),
        outputSchema: advertise(SESSION_SCHEMA),
        annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
      },
      handle(RUN, (args, context) => run(this.#service, args, context)),
    );
    for (const tool of tools) this.#register(server, tool, handle);
    return server;
  };

  #register(
    server: McpServer,
    tool: RegisteredTool,
    handle: (
      tool: string,
      handler: Handler,
    ) => (args: unknown, context: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
  ): void {
    const { inputSchema, outputSchema, ...described } = describeForMcp(tool);
    server.registerTool(
      tool.name,
      {
        ...described,
        inputSchema: advertise(inputSchema),
        ...(outputSchema === undefined ? {} : { outputSchema: advertise(outputSchema) }),
      },
      handle(tool.name, (args, context) => callTool(this.#service, tool, args, context)),
    );
  }

  /** Turns errors into results: the model reads what is wrong with its arguments or the server. */
  async #withErrorResults(call: () => Promise<CallToolResult>): Promise<CallToolResult> {
    try {
      return await call();
    } catch (error) {
      if (
        error instanceof ServerRefusal ||
        error instanceof SerializationError ||
        isGloveboxError(error)
      ) {
        return textResult(`${error.code}: ${error.message}`, true);
      }
      this.#onError(error);
      return textResult('The server failed.', true);
    }
  }

  async #callInRounds(
    tool: string,
    args: unknown,
    handler: Handler,
    context: ServerContext,
    signal: AbortSignal,
  ): Promise<CallToolResult | InputRequiredResult> {
    const mayAsk = canAsk(capabilitiesOf(context));
    const result = await this.#rounds.handle(tool, { context, signal }, (hooks) =>
      this.#withErrorResults(() =>
        handler(args, {
          signal: hooks.signal,
          ...(mayAsk ? { approve: hooks.approve } : {}),
          ...progressOf(hooks.context),
        }),
      ),
    );
    return result ?? textResult('This requestState belongs to a call of another tool.', true);
  }
}

/** In the protocol versions before 2026, a server asks its client while it handles a request. */
function approveBy(server: McpServer, { mcpReq }: ServerContext): Approve | undefined {
  if (!canAsk(server.server.getClientCapabilities())) return undefined;
  return async (request, { signal }) => {
    const { action, content } = await mcpReq.elicitInput(questionOf(request), {
      signal,
      timeout: ANSWER_MS,
    });
    return decisionOf(action, content);
  };
}

/** A schema that clients see and the SDK does not check: the service validates values once. */
function advertise(schema: JsonSchema): StandardSchemaWithJSON {
  const json = (): Record<string, unknown> => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'glovebox',
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
