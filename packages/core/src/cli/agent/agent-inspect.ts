import { DEFAULT_LIMITS, mergeLimits } from '@glovebox/protocol/limits';
import type { Limits } from '@glovebox/protocol/limits';

import { modelIdOf, needsOf } from '../../code-agent/folder/folder-format.ts';
import type { AgentFolder, AgentNeeds } from '../../code-agent/folder/folder-format.ts';
import { plainText } from '../../shared/plain-text.ts';

/** What an agent may do, as data. */
export interface FolderDescription {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly model: string;
  readonly maxSteps: number;
  readonly planningInterval: number | undefined;
  /** Of each step's code. */
  readonly limits: Limits;
  readonly tools: readonly {
    readonly name: string;
    /** `host`: a function of the host, to be given; `source`: runs in the box. */
    readonly kind: 'host' | 'source';
    readonly description: string | undefined;
    readonly needsApproval: boolean;
    readonly uses: readonly string[];
    /** Characters of the source. */
    readonly size: number | undefined;
  }[];
  readonly managedAgents: readonly FolderDescription[];
  /** What has to be given to run it, with all of its agents. */
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

/** The same for people. */
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
    '  reaches   these tools and agents; no network, no files, no modules',
    needs.length === 0 ? '  needs     nothing from you' : '  needs from you',
    ...needs.map(([what, names]) => plainRow(`    ${what}: ${names.join(', ')}`)),
  ];
}

/** Names and descriptions come from the folder: they cannot steer the terminal, nor add lines. */
function plainRow(text: string): string {
  return plainText(text).replaceAll('\n', ' ');
}

function toolLine({ name, kind, description, needsApproval, uses, size }: Tool): string {
  const where = kind === 'host' ? 'your function' : `in the box, ${size} characters`;
  const facts = [
    where,
    ...(needsApproval ? ['asks a person'] : []),
    ...(uses.length === 0 ? [] : [`uses ${uses.join(', ')}`]),
  ];
  return `    ${name} (${facts.join('; ')})${description === undefined ? '' : `: ${description}`}`;
}

type Tool = FolderDescription['tools'][number];
