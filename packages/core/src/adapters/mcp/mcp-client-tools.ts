import { checkToolName } from '../../executor/guest-names.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import { messageOf } from '../../shared/message-of.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';
import type { JsonSchema, TrustedTool } from '../../tools/definition.ts';
import { compileSchema } from '../../tools/tool-schema.ts';
import { toRegistryName } from '../common/agent-names.ts';

/** A day, in milliseconds: how long a call may take is the dispatcher's to say. */
const CALL_MS = 24 * 60 * 60 * 1000;

/** What is needed of a `Client` of `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(): Promise<{ readonly tools: readonly McpTool[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; timeout: number },
  ): Promise<McpToolResult>;
}

/** A tool of another server, as it describes it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  /** What the server says of the tool's effects; only its word. */
  readonly annotations?:
    | {
        readonly readOnlyHint?: boolean | undefined;
        readonly destructiveHint?: boolean | undefined;
        readonly idempotentHint?: boolean | undefined;
      }
    | undefined;
}

interface McpToolResult {
  readonly content: readonly object[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export interface McpToolsOptions {
  /** First word of all names, such as `github`; none by default. */
  readonly prefix?: string | undefined;
  /** Whether a person must agree to calls of a tool; `false` by default. */
  readonly needsApproval?: boolean | ((tool: McpTool) => boolean) | undefined;
}

/** The tools of another server, for a registry. */
export interface McpTools {
  readonly tools: readonly TrustedTool[];
  /** What each is called by its server, by its name for the registry. */
  readonly names: ReadonlyMap<string, string>;
  /** Why arguments of a tool are checked by its server alone, by its name for the registry. */
  readonly unchecked: ReadonlyMap<string, string>;
}

/**
 * Makes trusted tools of those that another MCP server has. Names are brought under the rule of
 * registries: `getIssue` becomes `get_issue`, or `github.get_issue` with the prefix `github`.
 * Calls give the structured content of the result, else its text, else its content as it is.
 *
 * @param client A connected client; its calls end with the calls of the tools.
 */
export async function mcpTools(
  client: McpClient,
  { prefix, needsApproval = false }: McpToolsOptions = {},
): Promise<McpTools> {
  const names = new Map<string, string>();
  const unchecked = new Map<string, string>();
  const tools: TrustedTool[] = [];
  for (const listed of (await client.listTools()).tools) {
    const name = freeName(listed.name, prefix, names);
    names.set(name, listed.name);
    const fault = findFault(listed);
    if (fault !== undefined) unchecked.set(name, fault);
    const { readOnlyHint, idempotentHint } = listed.annotations ?? {};
    tools.push({
      name,
      ...(fault === undefined ? describe(listed) : describeUnchecked(listed)),
      idempotent: readOnlyHint === true || idempotentHint === true,
      needsApproval: typeof needsApproval === 'function' ? needsApproval(listed) : needsApproval,
      execute: (args: unknown, { signal }: ToolContext) => call(client, listed.name, args, signal),
    });
  }
  return { tools, names, unchecked };
}

function freeName(
  mcpName: string,
  prefix: string | undefined,
  taken: ReadonlyMap<string, string>,
): string {
  const base = toRegistryName(mcpName);
  const whole = (name: string): string => (prefix === undefined ? name : `${prefix}.${name}`);
  const name = isUsable(whole(base)) && /^[a-z]/.test(base) ? whole(base) : whole(`tool_${base}`);
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}

function isUsable(name: string): boolean {
  try {
    checkToolName(name);
    return true;
  } catch {
    return false;
  }
}

/** Why a registry would not take the schemas of a tool. */
function findFault({ inputSchema, outputSchema = {} }: McpTool): string | undefined {
  try {
    compileSchema(inputSchema, 'input');
    compileSchema(outputSchema, 'output');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function describe({ description, inputSchema, outputSchema }: McpTool): Partial<TrustedTool> {
  return { description, inputSchema, outputSchema };
}

/** A model still has to know what the tool takes. */
function describeUnchecked({ description = '', inputSchema }: McpTool): Partial<TrustedTool> {
  const schema = JSON.stringify(inputSchema);
  return {
    description: `${description}\nArguments, as JSON Schema: ${schema}`.trim(),
    inputSchema: { type: 'object' },
  };
}

async function call(
  client: McpClient,
  name: string,
  args: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  const params = { name, arguments: toJsonObject(args) };
  const result = await client.callTool(params, { signal, timeout: CALL_MS });
  const { content, structuredContent, isError } = result;
  const texts = content.flatMap((block) =>
    'text' in block && typeof block.text === 'string' ? [block.text] : [],
  );
  if (isError === true) {
    const details = structuredContent === undefined ? {} : { details: structuredContent };
    throw Object.assign(new Error(texts.join('\n')), { name: 'McpToolError', ...details });
  }
  if (structuredContent !== undefined) return structuredContent;
  return texts.length === content.length ? texts.join('\n') : content;
}

/** Refuses what would change on its way, in place of letting it. */
function toJsonObject(args: unknown = {}): Record<string, unknown> {
  const json = toTaggedJson(args);
  if (JSON.stringify(json) !== JSON.stringify(args)) {
    throw new TypeError('The arguments hold what JSON does not have, such as a Date or a Map.');
  }
  // An object, by the input schema that MCP demands; other servers' own checks see the rest.
  return json as Record<string, unknown>;
}
