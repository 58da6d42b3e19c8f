import { Command } from 'commander';

import { readAgentFolder } from '../../code-agent/folder/read-folder.ts';
import { writeAgentFolder } from '../../code-agent/folder/save-agent.ts';
import { newAgentFolder } from '../../code-agent/folder/template.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { orMisuse } from '../shared/misuse.ts';
import { wholeNumber } from '../shared/option.ts';
import { agentLines, describeFolder } from './agent-inspect.ts';
import type * as AgentRunModule from './run-agent.ts';
import type { AgentRunFlags } from './run-agent.ts';

/** `glovebox agent`: code agents that are kept in folders. */
export function agentCommand(): Command {
  const agent = new Command('agent').description('Make, look at and run agents in folders.');
  for (const command of [newCommand(), runCommand(), inspectCommand()]) agent.addCommand(command);
  return agent;
}

function newCommand(): Command {
  return new Command('new')
    .description('Write the folder of a small agent, to begin with.')
    .argument('<folder>', 'a folder that is not there yet, or is empty')
    .requiredOption('--model <id>', 'the model, as the AI SDK names it, such as maker/model')
    .option('--name <name>', 'name of the agent: lower-case words', 'assistant')
    .action(async (folder: string, flags: { model: string; name: string }) => {
      process.exitCode = await orMisuse(async () => {
        const files = await writeAgentFolder(newAgentFolder(flags.name, flags.model), folder);
        process.stdout.write(files.map((file) => `${folder}/${file}\n`).join(''));
        return EXIT.ok;
      });
    });
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('Say what an agent is told and may do, and run nothing.')
    .argument('<folder>', 'folder of an agent')
    .option('--json', 'print it as JSON')
    .action(async (folder: string, flags: { json?: boolean }) => {
      process.exitCode = await orMisuse(async () => {
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
    .description('Have an agent solve a task: progress on stderr, the answer on stdout.')
    .argument('<folder>', 'folder of an agent')
    .argument('<task>', 'what it is to do')
    .option('--module <file>', 'a module of yours that exports models, tools, callbacks, checks')
    .option('--vars <file>', 'variables by name, from a file of JSON or safe: text')
    .option(
      '--var <name=value>',
      'one variable; JSON where it is JSON, else text (repeatable)',
      (value: string, all: readonly string[]) => [...all, value],
      [],
    )
    .option('--max-steps <n>', 'steps of code, in place of those in the folder', wholeNumber)
    .option('--max-tokens <n>', 'tokens that models may use', wholeNumber)
    .option('--yes', 'approve all plans, and all calls that need approval')
    .option('--no-input', 'ask nobody: what would be asked about is rejected')
    .option('--json', 'print the whole result as JSON; values in the tagged form of safe:')
    .addHelpText(
      'after',
      `
Nothing in the folder runs on this machine outside the box. What the folder names and does not hold
comes from --module, which is code of your own: it exports models, tools, callbacks and
finalAnswerChecks, as the host.ts does that saving an agent writes.

Plans, and calls that need approval, are asked about on the terminal; where there is none, they
are rejected unless --yes is given.

Exit codes:
  0  there is an answer
  1  the model or a callback failed
  2  the command was not used right, or the folder is malformed
  3  the tokens are used up
  4  the box failed
  5  the steps are used up; what the model then says is printed on stderr
  8  the plan was rejected
  130  interrupted

Examples:
  glovebox agent new ./clerk --model maker/model
  glovebox agent run ./clerk 'How many words has this text?' --var text="$(cat notes.txt)"`,
    )
    .action(async (folder: string, task: string, flags: AgentRunFlags) =>
      exit(
        await orMisuse(async () => {
          const { runAgent } = await loadRunner();
          return runAgent(folder, task, flags);
        }),
      ),
    );
}

/** The AI SDK is installed by whoever needs it. */
async function loadRunner(): Promise<typeof AgentRunModule> {
  try {
    return await import('./run-agent.ts');
  } catch (cause) {
    const isMissing = (cause as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    throw new Error('Agents need the AI SDK: npm install ai', { cause });
  }
}
