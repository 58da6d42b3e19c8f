import { checkToolName } from '../../executor/guest-names.ts';
import type { ToolContext } from '../../executor/run-tools.ts';
import { messageOf } from '../../shared/message-of.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';
import type { JsonSchema, TrustedTool } from '../../tools/definition.ts';
import { compileSchema } from '../../tools/tool-schema.ts';
import { toRegistryName } from '../common/agent-names.ts';

/** Time-out of the MCP client, in milliseconds: one day, because the dispatcher limits the time. */
const CALL_MS = 24 * 60 * 60 * 1000;

/** The needed part of a `Client` of `@modelcontextprotocol/client`. */
export interface McpClient {
  listTools(): Promise<{ readonly tools: readonly McpTool[] }>;
  callTool(
    params: { name: string; arguments: Record<string, unknown> },
    options: { signal: AbortSignal; timeout: number },
  ): Promise<McpToolResult>;
}

/** A tool of an MCP server, as the server describes it. */
export interface McpTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  /** What the server claims about the tool's effects; nothing verifies it. */
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
  /** Prefix of all names, such as `github`; none by default. */
  readonly prefix?: string | undefined;
  /** Whether calls of a tool need approval; `false` by default. */
  readonly needsApproval?: boolean | ((tool: McpTool) => boolean) | undefined;
}

/** The tools of an MCP server, for a registry. */
export interface McpTools {
  readonly tools: readonly TrustedTool[];
  /** The name of each tool on its server, by its name in the registry. */
  readonly names: ReadonlyMap<string, string>;
  /** Why only the server validates the arguments of a tool, by its name in the registry. */
  readonly unchecked: ReadonlyMap<string, string>;
}

/**
 * Creates trusted tools from the tools of another MCP server. Names are converted to valid registry
 * names: `getIssue` becomes `get_issue`, or `github.get_issue` with the prefix `github`. A call
 * returns the structured content of the result; without it, the text; otherwise the content.
 *
 * @param client A connected client. Aborting a tool call aborts the call of the client.
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
    const fault = findSchemaFault(listed);
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
  const withPrefix = (name: string): string => (prefix === undefined ? name : `${prefix}.${name}`);
  const isValid = isValidToolName(withPrefix(base)) && /^[a-z]/.test(base);
  const name = withPrefix(isValid ? base : `tool_${base}`);
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  return free;
}

function isValidToolName(name: string): boolean {
  try {
    checkToolName(name);
    return true;
  } catch {
    return false;
  }
}

/** Why a registry would refuse the schemas of a tool; undefined if it accepts them. */
function findSchemaFault({ inputSchema, outputSchema = {} }: McpTool): string | undefined {
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

/** The description contains the schema, so that a model knows the arguments. */
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

/** Converts arguments to a JSON object; throws if JSON would change them. */
function toJsonObject(args: unknown = {}): Record<string, unknown> {
  const json = toTaggedJson(args);
  if (JSON.stringify(json) !== JSON.stringify(args)) {
    throw new TypeError(
      'The arguments contain a value that JSON cannot represent, such as a Date or a Map.',
    );
  }
  // MCP requires an input schema of type object; the server checks everything else.
  return json as Record<string, unknown>;
}
