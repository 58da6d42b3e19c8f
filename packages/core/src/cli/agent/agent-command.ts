import { Command } from 'commander';

import { newAgentFolder } from '../../code-agent/folder/new-agent-folder.ts';
import { readAgentFolder } from '../../code-agent/folder/read-folder.ts';
import { writeAgentFolder } from '../../code-agent/folder/save-agent.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { catchMisuse } from '../shared/misuse.ts';
import { wholeNumber } from '../shared/option.ts';
import { agentLines, describeFolder } from './agent-inspect.ts';
import type * as AgentRunModule from './run-agent.ts';
import type { AgentRunFlags } from './run-agent.ts';

/** `glovebox agent`: code agents that are saved in folders. */
export function agentCommand(): Command {
  const agent = new Command('agent').description(
    'Create, inspect and run agents that are saved in folders.',
  );
  for (const command of [newCommand(), runCommand(), inspectCommand()]) agent.addCommand(command);
  return agent;
}

function newCommand(): Command {
  return new Command('new')
    .description('Create a folder with a small agent to start from.')
    .argument('<folder>', 'a folder that does not exist yet, or is empty')
    .requiredOption('--model <id>', 'the model, by its AI SDK name, such as maker/model')
    .option('--name <name>', 'name of the agent: lower-case words', 'assistant')
    .action(async (folder: string, flags: { model: string; name: string }) => {
      process.exitCode = await catchMisuse(async () => {
        const files = await writeAgentFolder(newAgentFolder(flags.name, flags.model), folder);
        process.stdout.write(files.map((file) => `${folder}/${file}\n`).join(''));
        return EXIT.ok;
      });
    });
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('Show the tools, limits and needs of an agent, without running it.')
    .argument('<folder>', 'folder of an agent')
    .option('--json', 'print it as JSON')
    .action(async (folder: string, flags: { json?: boolean }) => {
      process.exitCode = await catchMisuse(async () => {
        const description = describeFolder(await readAgentFolder(folder));
        process.stdout.write(
          flags.json === true
            ? `${JSON.stringify(description)}\n`
            : agentLines(description)
                .map((line) => `${line}\n`)
                .join(''),
        );
        return EXIT.ok;
      });
    });
}

function runCommand(): Command {
  return new Command('run')
    .description('Let an agent solve a task: progress on stderr, the answer on stdout.')
    .argument('<folder>', 'folder of an agent')
    .argument('<task>', 'what the agent must do')
    .option('--module <file>', 'a module of yours that exports models, tools, callbacks, checks')
    .option('--vars <file>', 'variables by name, from a file of JSON or safe: text')
    .option(
      '--var <name=value>',
      'one variable: JSON if it parses as JSON, otherwise text (repeatable)',
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option(
      '--max-steps <n>',
      'maximum number of code steps, in place of the number in the folder',
      wholeNumber,
    )
    .option('--max-tokens <n>', 'maximum number of tokens that models may use', wholeNumber)
    .option('--yes', 'approve all plans, and all calls that need approval')
    .option('--no-input', 'ask no questions: reject plans and calls that need approval')
    .option('--json', 'print the whole result as JSON; values in the tagged form of safe:')
    .addHelpText(
      'after',
      `
Code in the folder runs only inside the sandbox. The folder can name models, tools and functions
that it does not contain. They come from --module, which is your own code: it exports models, tools,
callbacks and finalAnswerChecks, like the host.ts that is written when an agent is saved.

Plans, and calls that need approval, are asked about at the terminal. Without a terminal they are
rejected, unless --yes is given.

Exit codes:
  0  the agent gave an answer
  1  the model or a callback failed
  2  wrong usage of the command, or the folder is malformed
  3  the tokens are used up
  4  the sandbox failed
  5  the steps are used up; the last text of the model is printed on stderr
  8  the plan was rejected
  130  interrupted

Examples:
  glovebox agent new ./clerk --model maker/model
  glovebox agent run ./clerk 'How many words has this text?' --var text="$(cat notes.txt)"`,
    )
    .action(async (folder: string, task: string, flags: AgentRunFlags) =>
      exit(
        await catchMisuse(async () => {
          const { runAgent } = await loadRunner();
          return runAgent(folder, task, flags);
        }),
      ),
    );
}

/** The AI SDK is an optional peer dependency: the user installs it. */
async function loadRunner(): Promise<typeof AgentRunModule> {
  try {
    return await import('./run-agent.ts');
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new Error('Agents need the AI SDK: npm install ai', { cause });
  }
}
