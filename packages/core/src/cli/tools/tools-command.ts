import { Command } from 'commander';

import { describeTool } from '../../tools/describe-tool.ts';
import { toolTypes } from '../../tools/tool-types.ts';
import { EXIT } from '../shared/exit-codes.ts';
import { exit } from '../shared/exit.ts';
import { misuse } from '../shared/misuse.ts';
import { loadRegistry } from '../shared/registry-module.ts';

interface Flags {
  readonly json?: boolean;
}

/** `glovebox tools`: lists the tools of a registry as TypeScript declarations. */
export function toolsCommand(): Command {
  return new Command('tools')
    .description('List the tools of a registry with their types.')
    .argument('<module>', 'a module that exports a ToolRegistry, as default or as registry')
    .option('--json', 'print names, descriptions and JSON Schemas as JSON')
    .addHelpText(
      'after',
      `
Examples:
  glovebox tools ./tools.ts
  glovebox tools ./tools.ts --json`,
    )
    .action(async (file: string, flags: Flags) => exit(await list(file, flags)));
}

async function list(file: string, flags: Flags): Promise<number> {
  try {
    const tools = (await loadRegistry(file)).list();
    const text =
      flags.json === true ? JSON.stringify(tools.map(describeTool), null, 2) : toolTypes(tools);
    process.stdout.write(`${text.trimEnd()}\n`);
    return EXIT.ok;
  } catch (error) {
    return misuse(error);
  }
}
