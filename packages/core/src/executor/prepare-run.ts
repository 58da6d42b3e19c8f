import type { Job } from '@glovebox/protocol/job';
import { mergeLimits } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';
import { SerializationError } from '@glovebox/serializer/safe';
import type { z } from 'zod';

import { GloveboxError } from '../shared/errors.ts';
import type { runOptionsSchema } from './executor-options.ts';
import { checkToolClashes, checkToolName, checkVariableName, globalOf } from './guest-names.ts';
import type { RunError } from './read-outcome.ts';
import type { ToolDefinition, ToolFunction, Tools } from './run-tools.ts';
import type { RunSpec } from './run.ts';
import { serializeForGuest } from './to-guest.ts';

export type CheckedRunOptions = z.output<typeof runOptionsSchema>;

/** Defaults of an executor or session for each of its runs. */
export interface RunDefaults {
  readonly limits: Limits;
  readonly tools: Tools;
}

/**
 * Prepares a run from validated options.
 *
 * @returns The run, and an error if it exceeds a limit before it starts.
 * @throws {GloveboxError} `INVALID_NAME`, `UNSERIALIZABLE_VARIABLES`.
 */
export function prepareRun(
  options: CheckedRunOptions,
  defaults: RunDefaults,
): { readonly spec: RunSpec; readonly limitError?: RunError } {
  const limits = mergeLimits(defaults.limits, options.limits);
  const tools = new Map<string, ToolFunction | ToolDefinition>([
    ...Object.entries(defaults.tools),
    ...Object.entries(options.tools ?? {}),
  ]);
  const variables = options.variables ?? {};
  const toolNames = new Set(tools.keys());
  for (const name of toolNames) checkToolName(name);
  checkToolClashes(toolNames);
  const toolGlobals = new Set([...toolNames].map(globalOf));
  for (const name of Object.keys(variables)) {
    checkVariableName(name);
    if (toolGlobals.has(name)) {
      throw new GloveboxError('INVALID_NAME', `${name} is the name of a variable and of a tool.`);
    }
  }
  const encoded = encodeVariables(variables, limits.variablesBytes);
  const job: Job = {
    code: options.code,
    filename: options.filename,
    language: options.language,
    variables: encoded.text,
    tools: [...tools.keys()],
    limits,
    deterministic: options.deterministic ?? null,
  };
  const { signal, onLog } = options;
  const spec: RunSpec = { job, limits, tools, signal, onLog: onLog as RunSpec['onLog'] };
  const limitError = encoded.limitError ?? checkSource(options.code, limits.sourceBytes);
  return limitError === undefined ? { spec } : { spec, limitError };
}

function checkSource(code: string, limit: number): RunError | undefined {
  // Avoids measuring short sources: a UTF-16 code unit has at most three bytes in UTF-8.
  if (code.length * 3 <= limit) return undefined;
  const used = Buffer.byteLength(code);
  if (used <= limit) return undefined;
  const message = `The source has ${used} bytes; ${limit} are allowed.`;
  return { code: 'SOURCE_LIMIT', message, limit, used, ran: 'no' };
}

function encodeVariables(
  variables: object,
  limit: number,
): { readonly text: string; readonly limitError?: RunError } {
  try {
    return { text: serializeForGuest(variables, limit) };
  } catch (error) {
    if (!(error instanceof SerializationError)) throw error;
    if (error.limit === 'maxBytes') {
      const message = `The variables have more than ${limit} bytes.`;
      const limitError: RunError = { code: 'VARIABLES_LIMIT', message, limit, ran: 'no' };
      return {
        text: '',
        limitError: error.used === undefined ? limitError : { ...limitError, used: error.used },
      };
    }
    throw new GloveboxError(
      'UNSERIALIZABLE_VARIABLES',
      `The variables cannot be serialized: ${error.message}`,
      { path: error.path, cause: error },
    );
  }
}
