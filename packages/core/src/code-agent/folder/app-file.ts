import { ownManifest } from '../../shared/own-manifest.ts';
import type { AgentFile, AgentNeeds } from './folder-format.ts';

/** The `package.json` of a saved agent. */
export function manifestOf({ name = 'agent' }: AgentFile): string {
  const { version, peerDependencies } = ownManifest();
  const manifest = {
    name: name.replaceAll('.', '-'),
    private: true,
    type: 'module',
    engines: { node: '>=24' },
    scripts: { start: 'node app.ts' },
    dependencies: { '@glovebox/core': `^${version}`, ai: peerDependencies.ai },
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The program that runs a saved agent. */
export const APP_SOURCE = `// Runs the agent of this folder: node app.ts "the task"
import { Executor } from '@glovebox/core';
import { loadAgent } from '@glovebox/core/agent';

import * as host from './host.ts';

await using executor = new Executor();
await using agent = await loadAgent(import.meta.dirname, { executor, ...host });
const result = await agent.run(process.argv.slice(2).join(' '));
console.log(result.reason === 'answered' ? result.answer : result);
`;

/** The module in which the user provides the parts that the folder does not contain. */
export function hostSource({ models, tools, callbacks, finalAnswerChecks }: AgentNeeds): string {
  return `// The parts that the agent needs and that its folder does not contain. This file is yours: saving
// the agent again does not change it.
import type { AnyTool } from '@glovebox/core';
import type { LoadAgentOptions } from '@glovebox/core/agent';

/** ${listOf('Models of the AI SDK', models)} */
export const models: LoadAgentOptions['models'] = {};

/** ${listOf('Tools that are functions of the host', tools)} */
export const tools: AnyTool[] = [];

/** ${listOf('Callbacks', callbacks)} */
export const callbacks: LoadAgentOptions['callbacks'] = {};

/** ${listOf('Checks of the final answer', finalAnswerChecks)} */
export const finalAnswerChecks: LoadAgentOptions['finalAnswerChecks'] = {};
`;
}

/** Escapes the names: names of models and host tools are arbitrary and could end the comment. */
function listOf(what: string, names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name).replaceAll('*/', '* /')).join(', ');
  return `${what}${list === '' ? ': none are needed.' : `: ${list}.`}`;
}
