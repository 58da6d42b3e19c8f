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

/** Parses the command line and runs the command. */
export async function main(): Promise<void> {
  const program = new Command('glovebox')
    .description('Run untrusted code in a fresh V8 isolate inside an expendable process.')
    .version(ownManifest().version)
    .showHelpAfterError('(try --help)')
    // A command and its subcommands may have options of the same name.
    .enablePositionalOptions()
    .exitOverride((error) => {
      // Help and version exit with 0; every other error of commander is wrong usage.
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
    // The reader closed the pipe because it has enough, as in `| head`.
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(`glovebox: The output cannot be written: ${error.message}\n`);
    process.exit(EXIT.misuse);
  });
  await program.parseAsync();
}
