import type { CallToolResult } from '@modelcontextprotocol/server';

import { renderOutcome } from '../../code-mode/render-outcome.ts';
import type { DispatchResult } from '../../dispatch/dispatch-result.ts';
import { outcomeErrorToJson } from '../../executor/outcome-json.ts';
import type { Outcome } from '../../executor/outcome.ts';
import { toTaggedJson } from '../../shared/tagged-json.ts';
import type { JsonSchema } from '../../tools/definition.ts';

/** Maximum length of the text for a model, in characters. */
export const MAX_CHARACTERS = 20_000;

/** Schema of the structured content of a result of `execute`. */
export const OUTCOME_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    value: { description: 'What the code returned, as tagged JSON.' },
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', description: 'How the run ended, such as GUEST_ERROR.' },
        name: { type: 'string' },
        message: { type: 'string' },
        line: { type: 'integer' },
        column: { type: 'integer' },
      },
      required: ['code', 'message'],
    },
    logs: {
      type: 'array',
      items: {
        type: 'object',
        properties: { level: { type: 'string' }, text: { type: 'string' } },
        required: ['level', 'text'],
      },
    },
    usage: { type: 'object' },
  },
  required: ['ok', 'logs', 'usage'],
};

export function outcomeResult(outcome: Outcome, code: string): CallToolResult {
  const { logs, usage } = outcome;
  const end = outcome.ok
    ? { ok: true, value: toTaggedJson(outcome.value) }
    : { ok: false, error: outcomeErrorToJson(outcome.error) };
  return {
    ...textResult(renderOutcome(outcome, code, MAX_CHARACTERS), !outcome.ok),
    // A cause that comes from a guest is data as well: the client gets it as JSON.
    structuredContent: { ...end, logs, usage },
  };
}

export function dispatchResult(result: DispatchResult, hasSchema: boolean): CallToolResult {
  if (!result.ok) {
    const { kind, name, message, toolCode } = result.error;
    const code = toolCode === undefined ? '' : ` (code ${toolCode})`;
    const what = name === undefined ? message : `${name}: ${message}`;
    return textResult(`${kind}: ${what}${code}`, true);
  }
  const value = toTaggedJson(result.value);
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return hasSchema ? { ...textResult(text), structuredContent: value } : textResult(text);
}

export function textResult(text: string, isError = false): CallToolResult {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}
