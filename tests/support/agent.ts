import { CodeAgent } from '@glovebox/core/agent';
import type { CodeAgentOptions } from '@glovebox/core/agent';
import { MockLanguageModelV4 } from 'ai/test';
import { afterEach } from 'vitest';

import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
import type { Line, ScriptedModel } from '../../examples/code-agent/scripted-model.ts';

const open: CodeAgent[] = [];
// Each holds a session of the executor.
afterEach(() => Promise.all(open.splice(0).map((agent) => agent.close())));

/** An agent whose model says these lines, one a call; it is closed after the test. */
export function agentOf(
  lines: readonly Line[],
  options: Omit<CodeAgentOptions, 'model'>,
): { agent: CodeAgent; model: ScriptedModel } {
  const model = scriptedModel(lines);
  const agent = new CodeAgent({ ...options, model: model.model });
  open.push(agent);
  return { agent, model };
}

/** What a model says that writes code. */
export function code(source: string): string {
  return `I try this.\n\n\`\`\`ts\n${source}\n\`\`\`\n`;
}

/** A model that never answers, and does not listen to its signal either. */
export function silentModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({ doGenerate: () => new Promise(() => undefined) });
}
