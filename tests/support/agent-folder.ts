import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Executor } from '@glovebox/core';
import type { CodeAgentOptions, LoadAgentOptions } from '@glovebox/core/agent';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';

import { scriptedModel } from '../../examples/code-agent/scripted-model.ts';
import { agentOf } from './agent.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'glovebox-agent-'));
});
afterAll(() => rm(root, { recursive: true }));

let count = 0;
/** A folder that is not there yet; it is removed after the tests of the file. */
export const newFolder = (): string => path.join(root, `agent-${++count}`);

const lookup = {
  name: 'orders.lookup',
  description: 'Finds an order.',
  inputSchema: z.object({ id: z.number().describe('Its number.'), since: z.date().optional() }),
  execute: ({ id }: { id: number }) => ({ id, total: id * 10 }),
};

export function review(): void {}
export function isNumber(answer: unknown): boolean {
  return typeof answer === 'number';
}

/** An agent that uses every option which can be saved. */
export function everything(executor: Executor): Omit<CodeAgentOptions, 'model'> {
  const helper = agentOf([], {
    executor,
    name: 'helper',
    description: 'Looks things up: "all" of them.',
    maxSteps: 3,
    tools: [lookup],
  }).agent;
  return {
    executor,
    name: 'clerk',
    description: 'Keeps orders.\nIn order.',
    modelSettings: { temperature: 0.5, maxOutputTokens: 1000 },
    instructions: 'Be brief: # no comment\n  indented "quotes"\n',
    planningInterval: 4,
    maxSteps: 12,
    maxObservationCharacters: 5000,
    limits: { wallMs: 2000, memoryMb: 64 },
    tools: [
      lookup,
      {
        name: 'score',
        description: 'Scores an order.',
        source: '// TypeScript\nconst twice: number = args.n * 2;\nreturn twice;',
        language: 'typescript',
        limits: { wallMs: 500 },
        uses: ['orders.lookup'],
        inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
        idempotent: true,
        needsApproval: false,
        timeoutMs: 400,
      },
    ],
    managedAgents: [helper],
    stepCallbacks: { planning: [review], any: review },
    finalAnswerChecks: [isNumber],
    promptTemplates: {
      system: '123',
      planning: { initialPlan: ' - Plan: {{task}} \n\n\ttabs\r\n' },
    },
  };
}

/** What its folder does not hold. */
export const supplies = (
  executor: Executor,
  more: Partial<LoadAgentOptions> = {},
): LoadAgentOptions => ({
  executor,
  models: { 'examples/scripted': scriptedModel([]).model },
  tools: [lookup],
  callbacks: { review },
  finalAnswerChecks: { isNumber },
  ...more,
});

/** All files of a folder, by path. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map(async ({ parentPath, name }) => {
    const file = path.join(parentPath, name);
    return [path.relative(folder, file), await readFile(file, 'utf8')] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}
