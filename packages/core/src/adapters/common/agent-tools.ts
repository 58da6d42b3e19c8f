import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import { ToolCallError } from '../../dispatch/tool-call-error.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import { toAgentName } from './agent-names.ts';
import { AgentToolError } from './agent-tool-error.ts';
import { writeError } from './error-text.ts';

/** Which tools of a registry a framework's agent gets. */
export interface AgentToolsOptions {
  /** Names of the tools; all that the registry has now unless given. */
  readonly tools?: readonly string[] | undefined;
}

/** A tool of a registry as a framework's agent sees it. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether a person must agree to each call, or to some. */
  readonly approval: 'always' | 'depends' | 'never';
  /** Whether a person must agree to this call. Does not reject. */
  needsApproval(args: unknown): Promise<boolean>;
  /**
   * Calls the tool through the dispatcher.
   *
   * @throws {AgentToolError} The dispatch failed, and a model is told of it.
   * @throws {ToolCallError} The dispatch failed, and code is told of it.
   */
  call(args: unknown, options: AgentCallOptions): Promise<unknown>;
}

interface AgentCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The model's id of the call. */
  readonly callId?: string | undefined;
  /** Whether the framework has asked a person where one must agree; the dispatcher does unless. */
  readonly isApproved: boolean;
  /** Who calls; `model` by default. Code has an error's name and code apart from its message. */
  readonly caller?: 'model' | 'code' | undefined;
}

const ANYTHING: JsonSchema = Object.freeze({ type: 'object', properties: {} });

/**
 * The tools of a dispatcher's registry for a framework's agent.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`; `INVALID_NAME` where a model could not tell two apart.
 */
export function listAgentTools(
  dispatcher: Dispatcher,
  { tools: names = dispatcher.registry.names }: AgentToolsOptions = {},
): readonly AgentTool[] {
  const byName = new Map<string, AgentTool>();
  for (const name of names) {
    const tool = adapt(dispatcher, dispatcher.registry.get(name));
    if (byName.has(tool.name)) {
      const message = `Two tools would have the name ${tool.name} for a model; one is ${name}.`;
      throw new GloveboxError('INVALID_NAME', message, { path: 'tools' });
    }
    byName.set(tool.name, tool);
  }
  return [...byName.values()];
}

function adapt(dispatcher: Dispatcher, registered: RegisteredTool): AgentTool {
  const { name, description, definition, inputJsonSchema } = registered;
  const { needsApproval = false } = definition;
  const approved = { ...registered, definition: { ...definition, needsApproval: false } };
  return {
    name: toAgentName(name),
    description: description ?? name,
    // A copy, since that of zod has a hidden validator: arguments would be converted twice.
    inputSchema: inputJsonSchema === undefined ? ANYTHING : { ...inputJsonSchema },
    approval: typeof needsApproval === 'function' ? 'depends' : needsApproval ? 'always' : 'never',
    async needsApproval(args) {
      if (typeof needsApproval === 'boolean') return needsApproval;
      try {
        const input = await registered.validateInput(args);
        // It will not be called: there is nothing to agree to.
        if (!input.ok) return false;
        const { signal } = new AbortController();
        const isNeeded: unknown = await needsApproval(input.value, { tool: name, signal });
        return isNeeded !== false;
      } catch {
        // Only a clear no lets a call through unasked.
        return true;
      }
    },
    async call(args, { signal, callId, isApproved, caller = 'model' }) {
      const tool = isApproved && needsApproval !== false ? approved : name;
      const result = await dispatcher.dispatch({ tool, args, signal, callId });
      if (result.ok) return result.value;
      if (caller === 'code') throw new ToolCallError(result.error);
      const { name: errorName, message, toolCode, kind } = result.error;
      const text = writeError({ name: errorName, message, code: toolCode ?? kind });
      throw new AgentToolError(text, result.error);
    },
  };
}
