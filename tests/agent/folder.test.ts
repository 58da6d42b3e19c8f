import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { Dispatcher, ToolRegistry } from '@glovebox/core';
import { loadAgent } from '@glovebox/core/agent';
import type { CodeAgent } from '@glovebox/core/agent';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
import { useExecutor } from '../support/adapters.ts';
import {
  everything,
  filesOf,
  isNumber,
  newFolder,
  review,
  supplies,
} from '../support/agent-folder.ts';
import { agentOf, code } from '../support/agent.ts';
import { runScript } from '../support/script.ts';

const executor = useExecutor();

/** The options of an agent that can be compared. */
function plain({ options }: CodeAgent): object {
  const { executor: _executor, model: _model, tools, managedAgents, ...rest } = options;
  const names = tools?.map(({ name }) => name);
  return { ...rest, names, managed: managedAgents.map(({ name }) => name) };
}

describe('saving', () => {
  test('writes a tree that can be read', async () => {
    const { agent } = agentOf([], everything(executor()));
    const folder = newFolder();
    const saved = await agent.save(folder);
    expect(saved).toEqual({
      files: [
        'agent.json',
        'app.ts',
        'host.ts',
        'managed-agents/helper/agent.json',
        'managed-agents/helper/prompts.yaml',
        'package.json',
        'prompts.yaml',
        'tools/score.ts',
      ],
      omitted: [],
    });
    const files = await filesOf(folder);
    expect(Object.keys(files).toSorted()).toEqual(saved.files);
    expect(files['tools/score.ts']).toBe(
      '// TypeScript\nconst twice: number = args.n * 2;\nreturn twice;',
    );
    expect(JSON.parse(files['agent.json'] ?? '')).toMatchObject({
      format: 1,
      class: 'CodeAgent',
      name: 'clerk',
      model: { provider: 'examples', id: 'scripted' },
      tools: [
        { kind: 'host', name: 'orders.lookup' },
        { kind: 'source', name: 'score' },
      ],
      managedAgents: ['helper'],
      stepCallbacks: { planning: ['review'], any: ['review'] },
      finalAnswerChecks: ['isNumber'],
    });
    expect(files['host.ts']).toContain('Tools that are functions of the host: "orders.lookup".');
  });

  test('and loading and saving again gives the same bytes', async () => {
    const [first, second, third] = [newFolder(), newFolder(), newFolder()];
    await agentOf([], everything(executor())).agent.save(first);
    // Functions of other names, under the names that the folder has.
    const other = supplies(executor(), { callbacks: { review: () => undefined } });
    await (await loadAgent(first, other)).save(second);
    await (await loadAgent(second, supplies(executor()))).save(third);
    expect(await filesOf(second)).toEqual(await filesOf(first));
    expect(await filesOf(third)).toEqual(await filesOf(first));
  });

  test('loses no option', async () => {
    const folder = newFolder();
    const { agent } = agentOf([], everything(executor()));
    await agent.save(folder);
    const loaded = await loadAgent(folder, supplies(executor()));
    expect(plain(loaded)).toEqual(plain(agent));
    expect(loaded.tools.map(({ name, inputJsonSchema }) => [name, inputJsonSchema])).toEqual(
      agent.tools.map(({ name, inputJsonSchema }) => [name, inputJsonSchema]),
    );
    expect(loaded.options.managedAgents[0]?.options.maxSteps).toBe(3);
  });

  test('keeps every text exactly', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).filter((t) => !t.includes('{{'));
    const property = fc.asyncProperty(text, text, async (system, instructions) => {
      const { agent } = agentOf([], {
        executor: executor(),
        instructions,
        promptTemplates: { system },
        tools: [{ name: 'score', source: system }],
      });
      const folder = newFolder();
      await agent.save(folder);
      const { options, tools } = await loadAgent(folder, supplies(executor()));
      expect(options.promptTemplates.system).toBe(system);
      expect(options.instructions).toBe(instructions);
      expect(tools[0]?.definition).toMatchObject({ source: system });
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('tells what cannot be saved', async () => {
    const registry = new ToolRegistry();
    registry.register({
      name: 'score',
      source: 'return 1',
      inputSchema: z.object({ n: z.number().refine((n) => n % 2 === 0) }),
      needsApproval: () => false,
    });
    const { agent } = agentOf([code('await finalAnswer(1)')], {
      executor: executor(),
      dispatcher: new Dispatcher({ registry }),
      stepCallbacks: { planning: [() => undefined], action: [review] },
      finalAnswerChecks: [
        isNumber,
        Object.defineProperty(() => true, 'name', { value: 'isNumber' }),
      ],
    });
    await agent.run('Go.');
    const folder = newFolder();
    const { omitted } = await agent.save(folder);
    expect(omitted).toEqual([
      'dispatcher: its tools are saved, but not its settings',
      'memory: its steps are plain data and can be stored separately',
      'stepCallbacks: one has no name',
      'tools: score: the part of its inputSchema that JSON Schema cannot express',
      'tools: score: the function needsApproval; all its calls now need approval',
      'finalAnswerChecks: one has the same name as another one, isNumber',
    ]);
    const { tools } = await loadAgent(folder, supplies(executor()));
    expect(tools[0]?.definition.needsApproval).toBe(true);
  });

  test('replaces an agent, leaves host.ts as it is, and touches no other folder', async () => {
    const folder = newFolder();
    await agentOf([], everything(executor())).agent.save(folder);
    await writeFile(path.join(folder, 'host.ts'), 'mine');
    await writeFile(path.join(folder, 'README.md'), 'mine too');
    await agentOf([], { executor: executor() }).agent.save(folder);
    expect(Object.keys(await filesOf(folder)).toSorted()).toEqual([
      'README.md',
      'agent.json',
      'app.ts',
      'host.ts',
      'package.json',
      'prompts.yaml',
    ]);
    expect(await readFile(path.join(folder, 'host.ts'), 'utf8')).toBe('mine');
    const other = newFolder();
    await mkdir(path.join(other, 'tools'), { recursive: true });
    await writeFile(path.join(other, 'tools/mine.ts'), 'mine');
    await expect(agentOf([], { executor: executor() }).agent.save(other)).rejects.toMatchObject({
      code: 'INVALID_OPTIONS',
      path: 'directory',
    });
    expect(existsSync(path.join(other, 'tools/mine.ts'))).toBe(true);
  });

  test('refuses text that no file can hold', async () => {
    const tools = [{ name: 'bad', source: 'return "\uD800"' }];
    const { agent } = agentOf([], { executor: executor(), tools });
    const folder = newFolder();
    await expect(agent.save(folder)).rejects.toMatchObject({ path: 'tools/bad.ts' });
    expect(existsSync(folder)).toBe(false);
  });
});

describe('loading', () => {
  test('gives an agent that works', async () => {
    const folder = newFolder();
    await agentOf([], everything(executor())).agent.save(folder);
    const { model } = scriptedModel([
      'A plan.',
      code('const order = await orders.lookup({ id: 4 });\nreturn order'),
      code('await finalAnswer(await score({ n: order.total }))'),
    ]);
    await using agent = await loadAgent(
      folder,
      supplies(executor(), { models: { 'examples/scripted': model } }),
    );
    expect(await agent.run('Score order 4.')).toMatchObject({ answer: 80, stepCount: 2 });
  });

  test('names all that it misses', async () => {
    const folder = newFolder();
    await agentOf([], everything(executor())).agent.save(folder);
    await expect(loadAgent(folder, { executor: executor() })).rejects.toMatchObject({
      code: 'AGENT_PARTS_MISSING',
      message:
        'The agent needs parts that were not given: models: examples/scripted; tools: orders.lookup; callbacks: review; finalAnswerChecks: isNumber.',
    });
  });

  test('a model that is named by a text is not needed', async () => {
    const folder = newFolder();
    const { agent } = agentOf([], { executor: executor() });
    await agent.save(folder);
    const file = path.join(folder, 'agent.json');
    const saved = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...saved, model: 'maker/model' }));
    const loaded = await loadAgent(folder, { executor: executor() });
    expect(loaded.options.model).toBe('maker/model');
  });
});

test('the app of a folder runs once its host.ts gives what is missing', async () => {
  // Inside the workspace, so that the packages resolve as for a user.
  const folder = await mkdtemp(path.join(import.meta.dirname, '../.examples-agent-'));
  try {
    const tools = [{ name: 'double', source: 'return 2 * args.n' }];
    await agentOf([], { executor: executor(), tools }).agent.save(folder);
    const app = path.join(folder, 'app.ts');
    const missing = await runScript(app, ['Double 21.']);
    expect([missing.code, missing.stdout]).toEqual([1, '']);
    expect(missing.stderr).toContain('models: examples/scripted');
    const host = path.join(folder, 'host.ts');
    await writeFile(
      host,
      `import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
const { model } = scriptedModel([(told) => told.includes('Double 21.')
  ? '\`\`\`ts\\nawait finalAnswer(await double({ n: 21 }))\\n\`\`\`'
  : '']);
export const models = { 'examples/scripted': model };
`,
    );
    const { code: exitCode, stdout, stderr } = await runScript(app, ['Double 21.']);
    expect([stderr, stdout, exitCode]).toEqual(['', '42\n', 0]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
