import { GloveboxError } from '../../shared/errors.ts';
import { templatesSchema } from '../prompt-templates.ts';
import { agentFileSchema } from './folder-format.ts';
import type { AgentFolder } from './folder-format.ts';

const WORD_COUNT = `// The body of an async function that runs in the sandbox. Its arguments are variables.
const words = text.toLowerCase().match(/[\\p{L}\\p{N}]+/gu) ?? [];
const counts = new Map();
for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
return { words: words.length, counts };
`;

/**
 * The folder of a small agent to start from. The agent makes plans, and has one tool, whose source
 * code is in the folder.
 *
 * @throws {GloveboxError} `INVALID_OPTIONS` if the name or the model is not valid.
 */
export function newAgentFolder(name: string, model: string): AgentFolder {
  const parsed = agentFileSchema.safeParse({
    format: 1,
    class: 'CodeAgent',
    name,
    description: 'Answers questions about texts.',
    model,
    planningInterval: 5,
    maxSteps: 20,
    maxObservationCharacters: 20_000,
    limits: { wallMs: 10_000, memoryMb: 128 },
    tools: [
      {
        kind: 'source',
        name: 'word_count',
        description: 'Counts the words of a text.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string', description: 'Any text.' } },
          required: ['text'],
          additionalProperties: false,
        },
        idempotent: true,
      },
    ],
    managedAgents: [],
    stepCallbacks: {},
    finalAnswerChecks: [],
  });
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    const at = path.map(String).join('.');
    throw new GloveboxError('INVALID_OPTIONS', `${at} ${message}.`, { path: at });
  }
  return {
    file: parsed.data,
    prompts: templatesSchema.parse({}),
    sources: new Map([['word_count', WORD_COUNT]]),
    managedAgents: new Map(),
  };
}
