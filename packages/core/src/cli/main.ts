import { Command } from 'commander';

import { ownManifest } from '../shared/own-manifest.ts';
import { agentCommand } from './agent/agent-command.ts';
import { callCommand } from './call/call-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { planCommand } from './plan/plan-command.ts';
import { runCommand } from './run/run-command.ts';
import { serveCommand } from './serve/serve-command.ts';
import { EXIT } from './shared/exit-codes.ts';
import { toolsCommand } from './tools/tools-command.ts';
import { workerCommand } from './worker/worker-command.ts';

/** Reads the command line and carries it out. */
export async function main(): Promise<void> {
  const program = new Command('glovebox')
    .description('Run code that nobody has read, in a fresh isolate inside an expendable process.')
    .version(ownManifest().version)
    .showHelpAfterError('(try --help)')
    // A command and its own commands may have options of the same name.
    .enablePositionalOptions()
    .exitOverride((error) => {
      // Help and version end well; all else that commander refuses is misuse.
      process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.misuse);
    });
  for (const command of [
    runCommand(),
    toolsCommand(),
    callCommand(),
    planCommand(),
    agentCommand(),
    serveCommand(),
    workerCommand(),
    doctorCommand(),
  ]) {
    program.addCommand(command.copyInheritedSettings(program));
    for (const inner of command.commands) inner.copyInheritedSettings(command);
  }
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever read the output has what he wanted, as in `| head`.
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  await program.parseAsync();
}
