/**
 * Writes the public types of each published entry point to a file in `api/`, so that reviews show
 * changes of them. With `--check` it writes nothing, and fails with a diff if the files are out of
 * date.
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
/** Entry points of processes and threads, which are not imported. */
const PROGRAMS = new Set(['@glovebox/worker/host', '@glovebox/worker/slot']);
/** Modules that are bundled into the published packages, as in their build. */
const BUNDLED = /^@glovebox\/protocol\/(?<module>.*)$/;

interface EntryPoint {
  /** Name for imports. */
  readonly name: string;
  /** Folder of the package in `packages`. */
  readonly folder: string;
  /** Path of the source, relative to the repository. */
  readonly source: string;
  /** Path of the snapshot, relative to `api/`. */
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

/** Writes the types of all modules without comments, in the same folders as their sources. */
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
    // TypeScript emits nothing for a package that is only imported.
    include: [...sources, 'packages/protocol/src/*.ts'].map((file) => path.join(root, file)),
  };
  const file = path.join(folder, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', file], { stdio: 'inherit' });
}

/** Bundles all types of an entry point into one text; types of other packages are imported. */
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
      // The compiler has already generated the types.
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

/** The sort key of a statement: imports, then declarations by name, then the list of exports. */
function placeOf(statement: Statement): [group: number, name: string] {
  if (statement.type === 'ImportDeclaration') return [IMPORT, statement.source.value];
  if (statement.type === 'ExportNamedDeclaration') {
    return statement.declaration === null ? [EXPORTS, ''] : placeOf(statement.declaration);
  }
  const named = statement.type === 'VariableDeclaration' ? statement.declarations[0] : statement;
  const id = named !== undefined && 'id' in named ? named.id : undefined;
  if (id?.type !== 'Identifier') {
    throw new Error(`${statement.type} is not supported in a snapshot yet.`);
  }
  return [DECLARATION, id.name];
}

interface Part {
  readonly place: readonly [group: number, name: string];
  readonly text: string;
}

/**
 * Splits the types into sorted parts that do not depend on the location and order of the modules,
 * so a snapshot changes only if the types change.
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

/** The declaration without `export`. */
function declarationOf({ text }: Part): string {
  return text.replace(/^export /, '');
}

/**
 * The parts that the main entry point of the package does not have, so each change is shown once.
 */
function ownParts(parts: readonly Part[], main: readonly Part[]): Part[] {
  const known = new Set(main.map(declarationOf));
  return parts.filter((part) => part.place[0] !== DECLARATION || !known.has(declarationOf(part)));
}

/** Compares by code units, independent of the locale. */
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
      // The first entry point of a package is its main entry point.
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
      process.stdout.write(`The types of ${count} entry points match \`api/\`.\n`);
      return;
    }
    process.stderr.write(`${stdout}${stderr}\nThe public types differ from \`api/\`. `);
    process.stderr.write('If the change is intended, run `npx -y pnpm run api`.\n');
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
