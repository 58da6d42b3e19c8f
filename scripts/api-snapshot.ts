/**
 * Writes the public types of each published entry point into one file of `api/`, so that a change of
 * them is seen in review. With `--check` nothing is written: it fails, with the difference, where the
 * files are out of date.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { parseSync } from 'rolldown/utils';

const root = path.join(import.meta.dirname, '..');
const PACKAGES = ['serializer', 'worker', 'core'] as const;
/** What a process or a thread starts with: nobody imports it. */
const PROGRAMS = new Set(['@glovebox/worker/host', '@glovebox/worker/slot']);
/** Bundled into the packages that are published, as in their build. */
const BUNDLED = /^@glovebox\/protocol\/(?<module>.*)$/;

interface EntryPoint {
  /** As it is imported. */
  readonly name: string;
  /** Its package's, in `packages`. */
  readonly folder: string;
  /** Its source, from the root of the repository. */
  readonly source: string;
  /** Its types, from the folder of all snapshots. */
  readonly snapshot: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly '@glovebox/source': string }>>;
}

async function entryPointsOf(folder: string): Promise<EntryPoint[]> {
  const manifest = await readFile(path.join(root, 'packages', folder, 'package.json'), 'utf8');
  const { name, exports } = JSON.parse(manifest) as Manifest;
  return Object.entries(exports).flatMap(([subpath, target]) => {
    const entry = path.posix.join(name, subpath);
    if (typeof target === 'string' || PROGRAMS.has(entry)) return [];
    const source = path.join('packages', folder, target['@glovebox/source']);
    const file = subpath === '.' ? 'index' : subpath.slice(2);
    return [{ name: entry, folder, source, snapshot: path.join(folder, `${file}.d.ts`) }];
  });
}

/** Writes the types of all modules, without comments, in the folders that their sources have. */
async function emitTypes(sources: readonly string[], folder: string): Promise<void> {
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      removeComments: true,
      rootDir: root,
      outDir: folder,
      typeRoots: [path.join(root, 'node_modules/@types')],
    },
    // Of a package that is only imported, TypeScript writes nothing.
    include: [...sources, 'packages/protocol/src/*.ts'].map((file) => path.join(root, file)),
  };
  const file = path.join(folder, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', file], { stdio: 'inherit' });
}

/** All types of an entry point in one text; those of other packages are imported. */
async function bundle(source: string, folder: string): Promise<string> {
  const build = await rolldown({
    input: path.join(folder, source.replace(/\.ts$/, '.d.ts')),
    cwd: folder,
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id) && !BUNDLED.test(id),
    plugins: [
      {
        name: 'bundled-packages',
        resolveId: (id) => {
          const module = BUNDLED.exec(id)?.groups?.['module'];
          return module && path.join(folder, 'packages/protocol/src', `${module}.d.ts`);
        },
      },
      // The compiler has written the types: nothing is generated any more.
      ...dts({ dtsOnly: true, generator: 'oxc', tsconfig: false }),
    ],
  });
  const { output } = await build.generate({ format: 'es' });
  await build.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`The types of ${source} must bundle into one file.`);
  return chunk.code;
}

const [IMPORT, DECLARATION, EXPORTS] = [0, 1, 2];

type Statement = ReturnType<typeof parseSync>['program']['body'][number];

/** By what a statement is sorted: imports, then declarations by name, then the list of exports. */
function placeOf(statement: Statement): [group: number, name: string] {
  if (statement.type === 'ImportDeclaration') return [IMPORT, statement.source.value];
  if (statement.type === 'ExportNamedDeclaration') {
    return statement.declaration === null ? [EXPORTS, ''] : placeOf(statement.declaration);
  }
  const named = statement.type === 'VariableDeclaration' ? statement.declarations[0] : statement;
  const id = named !== undefined && 'id' in named ? named.id : undefined;
  if (id?.type !== 'Identifier') {
    throw new Error(`${statement.type} has no place in a snapshot yet.`);
  }
  return [DECLARATION, id.name];
}

interface Part {
  readonly place: readonly [group: number, name: string];
  readonly text: string;
}

/**
 * The same parts wherever the modules are and in whatever order they are read, so that a snapshot
 * changes with the types alone.
 */
function partsOf(code: string): Part[] {
  const { program, errors } = parseSync('api.d.ts', code, { lang: 'dts' });
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return program.body
    .map((statement) => ({
      place: placeOf(statement),
      text: oneNamePerLine(code.slice(statement.start, statement.end)),
    }))
    .toSorted((a, b) => a.place[0] - b.place[0] || compare(a.place[1], b.place[1]));
}

/** Whether exported or not, it is the same declaration. */
function declarationOf({ text }: Part): string {
  return text.replace(/^export /, '');
}

/** What of an entry point the package's main one has not: a change is seen once. */
function ownParts(parts: readonly Part[], main: readonly Part[]): Part[] {
  const known = new Set(main.map(declarationOf));
  return parts.filter((part) => part.place[0] !== DECLARATION || !known.has(declarationOf(part)));
}

/** Not by the language of the machine. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function withoutType(name: string): string {
  return name.replace(/^type /, '');
}

function oneNamePerLine(statement: string): string {
  const list = /^(?<start>(?:import|export)(?: type)? )\{(?<names>[^{}]*)\}(?<end>.*)$/s.exec(
    statement,
  );
  const { start, names, end } = list?.groups ?? {};
  if (names === undefined) return statement;
  const sorted = names
    .split(',')
    .map((name) => name.trim())
    .toSorted((a, b) => compare(withoutType(a), withoutType(b)));
  return `${start}{\n${sorted.map((name) => `  ${name},\n`).join('')}}${end}`;
}

async function writeSnapshots(target: string): Promise<number> {
  const entryPoints = (await Promise.all(PACKAGES.map(entryPointsOf))).flat();
  const types = await mkdtemp(path.join(tmpdir(), 'glovebox-types-'));
  try {
    await emitTypes(
      entryPoints.map(({ source }) => source),
      types,
    );
    const main = new Map<string, readonly Part[]>();
    for (const { name, folder, source, snapshot } of entryPoints) {
      const parts = partsOf(await bundle(source, types));
      const known = main.get(folder);
      // The main entry point of a package is its first.
      if (known === undefined) main.set(folder, parts);
      const head = [
        `// The types of ${name}, written by \`npx -y pnpm run api\`; not to be edited.`,
        ...(known === undefined
          ? []
          : ['// Declarations that index.d.ts has as well are left out.']),
      ];
      const text = ownParts(parts, known ?? []).map((part) => part.text);
      const file = path.join(target, snapshot);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, [...head, ...text, ''].join('\n'));
    }
  } finally {
    await rm(types, { recursive: true });
  }
  return entryPoints.length;
}

async function check(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'glovebox-api-'));
  try {
    const count = await writeSnapshots(folder);
    const args = ['diff', '--no-index', '--no-prefix', '--stat', '--patch', snapshots, folder];
    const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
    if (status === 0) {
      process.stdout.write(`The types of ${count} entry points are as \`api/\` has them.\n`);
      return;
    }
    process.stderr.write(`${stdout}${stderr}\nThe public types are not as \`api/\` has them. `);
    process.stderr.write('If they are meant to change, run `npx -y pnpm run api`.\n');
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

const snapshots = path.join(root, 'api');
if (process.argv.includes('--check')) await check();
else {
  await rm(snapshots, { recursive: true, force: true });
  const count = await writeSnapshots(snapshots);
  process.stdout.write(`Wrote the types of ${count} entry points.\n`);
}
