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

/** The module in which the user supplies what a folder does not hold. */
export function hostSource({ models, tools, callbacks, finalAnswerChecks }: AgentNeeds): string {
  return `// What the agent needs and its folder does not hold. This file is yours: saving the agent again
// leaves it as it is.
import type { AnyTool } from '@glovebox/core';
import type { LoadAgentOptions } from '@glovebox/core/agent';

/** ${listOf('Models of the AI SDK', models)} */
export const models: LoadAgentOptions['models'] = {};

/** ${listOf('Tools that are functions of the host', tools)} */
export const tools: AnyTool[] = [];

/** ${listOf('Callbacks', callbacks)} */
export const callbacks: LoadAgentOptions['callbacks'] = {};

/** ${listOf('Checks of the answer', finalAnswerChecks)} */
export const finalAnswerChecks: LoadAgentOptions['finalAnswerChecks'] = {};
`;
}

/** Names of the host's tools and models may hold anything: the comment must not end at one. */
function listOf(what: string, names: readonly string[]): string {
  const list = names.map((name) => JSON.stringify(name).replaceAll('*/', '* /')).join(', ');
  return `${what}${list === '' ? ': none is needed.' : `: ${list}.`}`;
}
