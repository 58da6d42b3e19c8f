import { DEFAULT_LIMITS, mergeLimits } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';

import { modelIdOf, needsOf } from '../../code-agent/folder/folder-format.ts';
import type { AgentFolder, AgentNeeds } from '../../code-agent/folder/folder-format.ts';
import { plainText } from '../../shared/plain-text.ts';

/** A description of an agent's abilities, limits and needs, as data. */
export interface FolderDescription {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly model: string;
  readonly maxSteps: number;
  readonly planningInterval: number | undefined;
  /** Limits of the code of each step. */
  readonly limits: Limits;
  readonly tools: readonly {
    readonly name: string;
    /** `host`: a function that the user provides; `source`: code that runs in the sandbox. */
    readonly kind: 'host' | 'source';
    readonly description: string | undefined;
    readonly needsApproval: boolean;
    readonly uses: readonly string[];
    /** Length of the source code in characters. */
    readonly size: number | undefined;
  }[];
  readonly managedAgents: readonly FolderDescription[];
  /** What the user must provide to run the agent and its managed agents. */
  readonly needs: AgentNeeds;
}

export function describeFolder(folder: AgentFolder): FolderDescription {
  const { file, sources, managedAgents } = folder;
  return {
    name: file.name,
    description: file.description,
    model: modelIdOf(file.model),
    maxSteps: file.maxSteps,
    planningInterval: file.planningInterval,
    limits: mergeLimits(DEFAULT_LIMITS, file.limits),
    tools: file.tools.map((tool) => ({
      name: tool.name,
      kind: tool.kind,
      description: tool.description,
      needsApproval: tool.needsApproval === true,
      uses: tool.kind === 'source' ? (tool.uses ?? []) : [],
      size: sources.get(tool.name)?.length,
    })),
    managedAgents: [...managedAgents.values()].map(describeFolder),
    needs: needsOf(folder),
  };
}

/** The description as lines of text. */
export function agentLines(agent: FolderDescription, indent = ''): string[] {
  const { name, description, model, maxSteps, planningInterval, limits, tools } = agent;
  const plans = planningInterval === undefined ? 'no plans' : `plans every ${planningInterval}`;
  const lines = [
    `${name ?? '(no name)'}${description === undefined ? '' : `: ${description}`}`,
    `  model     ${model}`,
    `  steps     ${maxSteps}, ${plans}`,
    `  each step ${limits.wallMs} ms, ${limits.memoryMb} MiB, ${limits.toolCalls} tool calls`,
    tools.length === 0 ? '  tools     none' : '  tools',
    ...tools.map(toolLine),
    ...(agent.managedAgents.length === 0 ? [] : ['  agents']),
  ].map((line) => indent + plainRow(line));
  lines.push(...agent.managedAgents.flatMap((inner) => agentLines(inner, `${indent}    `)));
  if (indent !== '') return lines;
  const needs = Object.entries(agent.needs).filter(([, names]) => names.length > 0);
  return [
    ...lines,
    '  access    these tools and agents; no network, no files, no modules',
    needs.length === 0 ? '  needs     nothing from you' : '  needs from you',
    ...needs.map(([what, names]) => plainRow(`    ${what}: ${names.join(', ')}`)),
  ];
}

/** Removes control sequences and line breaks: texts in the folder are untrusted. */
function plainRow(text: string): string {
  return plainText(text).replaceAll('\n', ' ');
}

function toolLine({ name, kind, description, needsApproval, uses, size }: Tool): string {
  const where = kind === 'host' ? 'your function' : `in the sandbox, ${size} characters`;
  const facts = [
    where,
    ...(needsApproval ? ['needs approval'] : []),
    ...(uses.length === 0 ? [] : [`uses ${uses.join(', ')}`]),
  ];
  return `    ${name} (${facts.join('; ')})${description === undefined ? '' : `: ${description}`}`;
}

type Tool = FolderDescription['tools'][number];
