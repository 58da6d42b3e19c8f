/**
 * Packs the packages as they would be published, checks the tarballs with publint and
 * are-the-types-wrong, installs them in an empty project, and uses them there.
 * Run `pnpm build` first.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = path.join(import.meta.dirname, '..');
const PACKAGES = ['serializer', 'worker', 'core'] as const;

/** The packages are ES modules only, so these findings of are-the-types-wrong do not count. */
const ESM_ONLY = new Set(['node10', 'node16-cjs']);

function pnpm(args: readonly string[], cwd: string): string {
  // The package manager that runs this script; it may not be on the PATH.
  const runner = process.env['npm_execpath'];
  const [command, first] =
    runner === undefined
      ? ['npx', ['-y', 'pnpm']]
      : /\.[cm]?js$/.test(runner)
        ? [process.execPath, [runner]]
        : [runner, []];
  return execFileSync(command, [...first, ...args], { cwd, encoding: 'utf8' });
}

async function pack(name: string, destination: string): Promise<string> {
  const cwd = path.join(root, 'packages', name);
  pnpm(['pack', '--pack-destination', destination], cwd);
  const file = (await readdir(destination)).find((entry) => entry.startsWith(`glovebox-${name}-`));
  if (file === undefined) throw new Error(`${name} was not packed.`);
  return path.join(destination, file);
}

async function checkTarball(name: string, tarball: string): Promise<string[]> {
  const data = await readFile(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) },
    strict: true,
  });
  const faults = messages.map(
    (message) => `publint: ${formatMessage(message, pkg) ?? message.code}`,
  );
  const types = await checkPackage(createPackageFromTarballData(data));
  if (types.types === false) faults.push('attw: the package has no types');
  else {
    for (const problem of types.problems) {
      if ('resolutionKind' in problem && ESM_ONLY.has(problem.resolutionKind)) continue;
      faults.push(`attw: ${problem.kind} ${JSON.stringify(problem)}`);
    }
  }
  return faults.map((fault) => `${name}: ${fault}`);
}

const PROGRAM = `
import assert from 'node:assert/strict';
import { Executor } from '@glovebox/core';
import { createCodemodeExecutor } from '@glovebox/core/codemode';
import { RemoteExecutor } from '@glovebox/core/smolagents';
import { createIsolateDriver } from '@glovebox/core/tanstack';
import { serialize, deserialize } from '@glovebox/serializer';

assert.deepEqual(deserialize(serialize(new Map([[1, new Date(0)]]))), new Map([[1, new Date(0)]]));
await using executor = new Executor({ hosts: 1 });
const outcome = await executor.run({
  code: 'return { sum: await add({ a: 1, b: 2 }), when }',
  variables: { when: new Date(5) },
  tools: { add: ({ a, b }) => a + b },
});
assert.deepEqual(outcome.ok && outcome.value, { sum: 3, when: new Date(5) });
// The frameworks are not installed here: these adapters do not need them at run time.
const result = await createCodemodeExecutor({ executor }).execute('async () => 2', []);
assert.equal(result.result, 2);
const context = await createIsolateDriver({ executor }).createContext({ bindings: {} });
assert.equal((await context.execute('return 3')).value, 3);
await using remote = new RemoteExecutor({ executor });
assert.equal((await remote.call('return 4')).output, 4);
// Hosts without the JIT cannot run TypeScript sources, so only built packages can test them.
await using interpreter = new Executor({ hosts: 1, jit: false });
const slow = await interpreter.run({ code: 'return [typeof WebAssembly, [3, 1, 2].sort()]' });
assert.deepEqual(slow.ok && slow.value, ['undefined', [1, 2, 3]]);
const typed = await interpreter.run({ code: 'const a: number = 1', language: 'typescript' });
assert.match(typed.ok || typed.error.message, /TypeScript needs the JIT/);
const bomb = await executor.run({ code: 'for (;;);', limits: { wallMs: 200 } });
assert.equal(bomb.ok || bomb.error.code, 'WALL_LIMIT');
`;

async function installAndRun(tarballs: ReadonlyMap<string, string>, folder: string): Promise<void> {
  const dependencies = Object.fromEntries(
    [...tarballs].map(([name, file]) => [`@glovebox/${name}`, `file:${file}`]),
  );
  const overrides = Object.entries(dependencies)
    .map(([name, file]) => `  '${name}': '${file}'`)
    .join('\n');
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ type: 'module', private: true, dependencies }),
  );
  await writeFile(
    path.join(folder, 'pnpm-workspace.yaml'),
    `overrides:\n${overrides}\nallowBuilds:\n  isolated-vm: false\n  msgpackr-extract: false\n`,
  );
  await writeFile(path.join(folder, 'program.js'), PROGRAM);
  pnpm(['install'], folder);
  const node = (args: readonly string[]): string =>
    execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  node(['program.js']);
  const bin = path.join(folder, 'node_modules/@glovebox/core/dist/cli/bin.js');
  await writeFile(path.join(folder, 'guest.ts'), 'const n: number = 6; return n * 7');
  const answer = node([bin, 'run', 'guest.ts']).trim();
  if (answer !== '42') throw new Error(`The packed command line answered ${answer}.`);
}

const folder = await mkdtemp(path.join(tmpdir(), 'glovebox-packages-'));
try {
  const tarballs = new Map<string, string>();
  for (const name of PACKAGES) tarballs.set(name, await pack(name, folder));
  const faults = (
    await Promise.all([...tarballs].map(([name, tarball]) => checkTarball(name, tarball)))
  ).flat();
  if (faults.length > 0) throw new Error(faults.join('\n'));
  await installAndRun(tarballs, folder);
  process.stdout.write(
    `${PACKAGES.length} packages were packed, checked, installed and run without faults.\n`,
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
