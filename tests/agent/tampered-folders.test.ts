import { cp, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { isGloveboxError } from '@glovebox/core';
import { loadAgent } from '@glovebox/core/agent';
import { expect, test } from 'vitest';

import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
import { useExecutor } from '../support/adapters.ts';
import { everything, newFolder, supplies } from '../support/agent-folder.ts';
import { agentOf, code } from '../support/agent.ts';

const executor = useExecutor();

/** Ways to tamper with a folder, and what is said of each. */
const TAMPERED: readonly [
  name: string,
  tamper: (folder: string) => Promise<unknown>,
  at: string,
  why: RegExp,
][] = [
  [
    'an unknown class',
    edit({ class: 'ToolCallingAgent' }),
    'agent.json',
    /class: must be "CodeAgent"/,
  ],
  ['a later format', edit({ format: 2 }), 'agent.json', /format: must be 1/],
  ['a field too many', edit({ onLoad: 'rm -rf /' }), 'agent.json', /onLoad/],
  ['a wrong type', edit({ maxSteps: '12' }), 'agent.json', /maxSteps/],
  ['a limit out of range', edit({ limits: { memoryMb: 1e9 } }), 'agent.json', /memoryMb/],
  ['an unknown limit', edit({ limits: { wall: 1 } }), 'agent.json', /wall/],
  [
    'a tool that escapes its folder',
    edit({ tools: [{ kind: 'source', name: '../../secrets' }] }),
    'agent.json',
    /tools\.0\.name: must be lower-case words/,
  ],
  [
    'a tool with a file of its own',
    edit({ tools: [{ kind: 'source', name: 'score', file: '/etc/passwd' }] }),
    'agent.json',
    /file/,
  ],
  [
    'a tool with code of the host',
    edit({ tools: [{ kind: 'host', name: 'score', execute: 'process.exit()' }] }),
    'agent.json',
    /execute/,
  ],
  [
    'a tool that uses what is not there',
    edit({ tools: [{ kind: 'source', name: 'score', uses: ['shell'] }] }),
    'agent.json',
    /score, which uses shell/,
  ],
  [
    'a schema without end',
    edit({ tools: [{ kind: 'host', name: 'score', inputSchema: nested(100) }] }),
    'agent.json',
    /tools\.0\.inputSchema: must not be deeper than 64/,
  ],
  [
    'a schema of 100 KB',
    edit({ tools: [{ kind: 'host', name: 'score', inputSchema: { enum: ['x'.repeat(1e5)] } }] }),
    'agent.json',
    /tools\.0\.inputSchema: must not have more than 65536 characters/,
  ],
  [
    'two tools of one name',
    edit({
      tools: [
        { kind: 'source', name: 'score' },
        { kind: 'host', name: 'score' },
      ],
    }),
    'agent.json',
    /score twice/,
  ],
  [
    'an agent that escapes',
    edit({ managedAgents: ['../helper'] }),
    'agent.json',
    /managedAgents\.0/,
  ],
  [
    'a callback that is no name',
    edit({ stepCallbacks: { any: ['a b'] } }),
    'agent.json',
    /name of a function/,
  ],
  [
    'a callback for no kind of step',
    edit({ stepCallbacks: { boot: ['a'] } }),
    'agent.json',
    /boot/,
  ],
  [
    'no JSON',
    (folder) => writeFile(path.join(folder, 'agent.json'), '{'),
    'agent.json',
    /is not JSON/,
  ],
  ['no file', (folder) => rm(path.join(folder, 'agent.json')), 'agent.json', /cannot be read/],
  [
    'bytes that are no text',
    (folder) => writeFile(path.join(folder, 'tools/score.ts'), Buffer.from([0xc3, 0x28])),
    'tools/score.ts',
    /is not UTF-8 text/,
  ],
  [
    'a prompt of 100 MB',
    large('prompts.yaml'),
    'prompts.yaml',
    /104857600 bytes, but at most 4194304 are allowed/,
  ],
  ['a source of 100 MB', large('tools/score.ts'), 'tools/score.ts', /104857600 bytes/],
  ['an agent.json of 100 MB', large('agent.json'), 'agent.json', /104857600 bytes/],
  ['a prompt too many', prompts('extra: "x"\n'), 'prompts.yaml', /extra/],
  [
    'a prompt with an unknown placeholder',
    prompts('system: "{{secrets}}"\n'),
    'prompts.yaml',
    /\{\{secrets\}\}/,
  ],
  ['a prompt that is no text', prompts('system: [1]\n'), 'prompts.yaml', /system/],
  ['prompts that are a list', prompts('- 1\n'), 'prompts.yaml', /is not valid/],
  ['an alias bomb', prompts('system: &a x\nmanagedAgent: { task: *a }\n'), 'prompts.yaml', /YAML/],
  ['the same prompt twice', prompts('system: a\nsystem: b\n'), 'prompts.yaml', /YAML/],
  [
    'a file among the tools that nobody named',
    (folder) => writeFile(path.join(folder, 'tools/extra.ts'), ''),
    'tools/extra.ts',
    /is not named in agent\.json/,
  ],
  [
    'an agent that nobody named',
    (folder) => mkdir(path.join(folder, 'managed-agents/spy')),
    'managed-agents/spy',
    /is not named/,
  ],
  [
    'a source that is a link to a file of the host',
    async (folder) => {
      await rm(path.join(folder, 'tools/score.ts'));
      await symlink('/etc/passwd', path.join(folder, 'tools/score.ts'));
    },
    'tools/score.ts',
    /is a link/,
  ],
  [
    'a folder of tools that is a link',
    async (folder) => {
      await cp(path.join(folder, 'tools'), path.join(folder, 'elsewhere'), { recursive: true });
      await rm(path.join(folder, 'tools'), { recursive: true });
      await symlink(path.join(folder, 'elsewhere'), path.join(folder, 'tools'));
    },
    'tools',
    /is not a folder/,
  ],
  [
    'a source that is a folder',
    async (folder) => {
      await rm(path.join(folder, 'tools/score.ts'));
      await mkdir(path.join(folder, 'tools/score.ts'));
    },
    'tools/score.ts',
    /is not a file/,
  ],
  [
    'a managed agent of another name',
    (folder) => edit({ name: 'spy' })(path.join(folder, 'managed-agents/helper')),
    'managed-agents/helper/agent.json',
    /has a name that differs from its folder/,
  ],
  [
    'a managed agent with a field too many',
    (folder) => edit({ onLoad: 1 })(path.join(folder, 'managed-agents/helper')),
    'managed-agents/helper/agent.json',
    /onLoad/,
  ],
  [
    'agents within agents without end',
    async (folder) => {
      let inner = path.join(folder, 'managed-agents/helper');
      for (let depth = 0; depth < 10; depth++) {
        await edit({ managedAgents: ['helper'] })(inner);
        const next = path.join(inner, 'managed-agents/helper');
        await mkdir(next, { recursive: true });
        await cp(path.join(inner, 'agent.json'), path.join(next, 'agent.json'));
        await cp(path.join(inner, 'prompts.yaml'), path.join(next, 'prompts.yaml'));
        inner = next;
      }
    },
    `managed-agents/${Array(9).fill('helper').join('/managed-agents/')}`,
    /deeper than 8/,
  ],
];

function edit(changes: object): (folder: string) => Promise<void> {
  return async (folder) => {
    const file = path.join(folder, 'agent.json');
    const saved = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...saved, ...changes }));
  };
}

/** A schema of so many arrays, one in the other. */
function nested(depth: number): object {
  return depth === 0 ? {} : { items: nested(depth - 1) };
}

function large(name: string): (folder: string) => Promise<void> {
  return (folder) => truncate(path.join(folder, name), 100 * 1024 * 1024);
}

function prompts(text: string): (folder: string) => Promise<void> {
  return (folder) => writeFile(path.join(folder, 'prompts.yaml'), text);
}

test.each(TAMPERED)('a tampered folder is refused: %s', async (_name, tamper, at, why) => {
  const folder = newFolder();
  await agentOf([], everything(executor())).agent.save(folder);
  await tamper(folder);
  const error = await loadAgent(folder, supplies(executor())).catch((thrown: unknown) => thrown);
  expect(isGloveboxError(error) && [error.code, error.path]).toEqual(['AGENT_FOLDER_INVALID', at]);
  expect((error as Error).message).toMatch(why);
});

test('sources of a folder run in the box, and only when they are called', async () => {
  const folder = newFolder();
  const tools = [{ name: 'score', source: 'return 1' }];
  await agentOf([], { executor: executor(), tools }).agent.save(folder);
  const source = 'globalThis.ran = true; return [typeof process, typeof require]';
  await writeFile(path.join(folder, 'tools/score.ts'), source);
  const { model } = scriptedModel([code('await finalAnswer(await score())')]);
  await using agent = await loadAgent(
    folder,
    supplies(executor(), { models: { 'examples/scripted': model } }),
  );
  expect(globalThis).not.toHaveProperty('ran');
  expect(await agent.run('Go.')).toMatchObject({ answer: ['undefined', 'undefined'] });
  expect(globalThis).not.toHaveProperty('ran');
});

test('a schema of a folder cannot stop the host: models are told it, and it is evaluated nowhere', async () => {
  const folder = newFolder();
  const inputSchema = { type: 'object', properties: { text: { pattern: '^(a+)+$' } } };
  const tools = [{ name: 'score', source: 'return args.text.length', inputSchema }];
  await agentOf([], { executor: executor(), tools }).agent.save(folder);
  const { model, calls } = scriptedModel([
    code('await finalAnswer(await score({ text: "a".repeat(40) + "!" }))'),
  ]);
  await using agent = await loadAgent(
    folder,
    supplies(executor(), { models: { 'examples/scripted': model } }),
  );
  expect(await agent.run('Go.')).toMatchObject({ answer: 41 });
  expect(calls[0]?.[0]).toContain('declare function score(args: {');
});
