#!/usr/bin/env node
import { readFileSync } from 'node:fs';

import { Command } from 'commander';

import { doctorCommand } from './doctor.ts';
import { EXIT } from './exit-codes.ts';
import { runCommand } from './run-command.ts';

const manifest = JSON.parse(
  readFileSync(new URL(import.meta.resolve('@glovebox/core/package.json')), 'utf8'),
) as { version: string };

const program = new Command('glovebox')
  .description('Run code that nobody has read, in a fresh isolate inside an expendable process.')
  .version(manifest.version)
  .showHelpAfterError('(try --help)')
  .exitOverride((error) => {
    // Help and version end well; all else that commander refuses is misuse.
    process.exit(error.exitCode === 0 ? EXIT.ok : EXIT.misuse);
  });

program.addCommand(runCommand());
program.addCommand(doctorCommand());
for (const command of program.commands) {
  command.copyInheritedSettings(program);
}

await program.parseAsync();
