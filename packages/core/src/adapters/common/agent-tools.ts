import type { Dispatcher } from '../../dispatch/dispatcher.ts';
import { ToolCallError } from '../../dispatch/tool-call-error.ts';
import { GloveboxError } from '../../shared/errors.ts';
import type { JsonSchema } from '../../tools/definition.ts';
import type { RegisteredTool } from '../../tools/tool-registry.ts';
import { toAgentName } from './agent-names.ts';
import { AgentToolError } from './agent-tool-error.ts';
import { errorText } from './error-text.ts';

/** Selects the tools of a registry that a framework's agent gets. */
export interface AgentToolsOptions {
  /** Names of the tools; by default all tools that the registry has now. */
  readonly tools?: readonly string[] | undefined;
}

/** A tool of a registry, for a framework's agent. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Whether all calls, some calls or no calls need approval. */
  readonly approval: 'always' | 'depends' | 'never';
  /** Whether a call with these arguments needs approval. Never rejects. */
  needsApproval(args: unknown): Promise<boolean>;
  /**
   * Calls the tool through the dispatcher.
   *
   * @throws {AgentToolError} if the dispatch failed and the caller is a model.
   * @throws {ToolCallError} if the dispatch failed and the caller is code.
   */
  call(args: unknown, options: AgentCallOptions): Promise<unknown>;
}

interface AgentCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The model's id of the call. */
  readonly callId?: string | undefined;
  /** Whether the framework has already obtained approval; otherwise the dispatcher asks. */
  readonly isApproved: boolean;
  /** `model` by default. For code, errors have name and code as separate properties. */
  readonly caller?: 'model' | 'code' | undefined;
}

const ANY_OBJECT: JsonSchema = Object.freeze({ type: 'object', properties: {} });

/**
 * The tools of a dispatcher's registry for a framework's agent.
 *
 * @throws {GloveboxError} `UNKNOWN_TOOL`; `INVALID_NAME` if two tools get the same name for models.
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
    // A copy: the object from zod has a hidden validator, which would convert arguments twice.
    inputSchema: inputJsonSchema === undefined ? ANY_OBJECT : { ...inputJsonSchema },
    approval: typeof needsApproval === 'function' ? 'depends' : needsApproval ? 'always' : 'never',
    async needsApproval(args) {
      if (typeof needsApproval === 'boolean') return needsApproval;
      try {
        const input = await registered.validateInput(args);
        // Invalid arguments: the tool will not be called, so no approval is needed.
        if (!input.ok) return false;
        const { signal } = new AbortController();
        const isNeeded: unknown = await needsApproval(input.value, { tool: name, signal });
        return isNeeded !== false;
      } catch {
        // Only an explicit `false` allows a call without approval.
        return true;
      }
    },
    async call(args, { signal, callId, isApproved, caller = 'model' }) {
      const tool = isApproved && needsApproval !== false ? approved : name;
      const result = await dispatcher.dispatch({ tool, args, signal, callId });
      if (result.ok) return result.value;
      if (caller === 'code') throw new ToolCallError(result.error);
      const { name: errorName, message, toolCode, kind } = result.error;
      const text = errorText({ name: errorName, message, code: toolCode ?? kind });
      throw new AgentToolError(text, result.error);
    },
  };
}
