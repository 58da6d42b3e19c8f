/**
 * Draws the packages and rooms with their imports into `docs/architecture.md`. With `--check` it
 * writes nothing, and fails if the page differs from the imports in the sources.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { cruise } from 'dependency-cruiser';

import config, { LAYERS } from '../dependency-cruiser.config.ts';
import type { Room } from '../dependency-cruiser.config.ts';

const root = path.join(import.meta.dirname, '..');
const page = path.join(root, 'docs/architecture.md');
const BEGIN = '<!-- layers:begin -->';
const END = '<!-- layers:end -->';

/** Names of imported rooms, by the name of the importing room. */
type Arrows = ReadonlyMap<string, ReadonlySet<string>>;

function roomOf(file: string): string | undefined {
  return LAYERS.flat().find((room) => new RegExp(room.path).test(file))?.name;
}

async function findArrows(): Promise<Arrows> {
  const { enhancedResolveOptions, ...options } = config.options;
  const { output } = await cruise(
    ['packages'],
    { ...options, baseDir: root, includeOnly: '^packages/[^/]+/src/' },
    enhancedResolveOptions,
  );
  if (typeof output === 'string') throw new Error(output);
  const arrows = new Map<string, Set<string>>();
  for (const { source, dependencies } of output.modules) {
    const from = roomOf(source);
    if (from === undefined) continue;
    const targets = arrows.get(from) ?? new Set<string>();
    arrows.set(from, targets);
    for (const { resolved } of dependencies) {
      const to = roomOf(resolved);
      if (to !== undefined && to !== from) targets.add(to);
    }
  }
  return arrows;
}

function reaches(arrows: Arrows, from: string, to: string): boolean {
  const next = arrows.get(from) ?? new Set<string>();
  return next.has(to) || [...next].some((each) => reaches(arrows, each, to));
}

/** Transitive reduction: removes the arrows that a path over other rooms implies. */
function reduceTransitively(arrows: Arrows): Arrows {
  const reduced = [...arrows].map(([from, targets]) => {
    const needed = [...targets].filter(
      (to) => ![...targets].some((via) => via !== to && reaches(arrows, via, to)),
    );
    return [from, new Set(needed)] as const;
  });
  return new Map(reduced);
}

/** The node id in Mermaid. */
const idOf = (room: string): string => room.replaceAll(/\W/g, '_');
const nodeOf = ({ name }: Room): string => `${idOf(name)}["${name}"]`;
const isOfCore = ({ path: pattern }: Room): boolean => pattern.startsWith('^packages/core/');

function draw(arrows: Arrows): string {
  const rooms = LAYERS.toReversed().flat();
  const lines = rooms.flatMap((from) =>
    rooms
      .filter((to) => arrows.get(from.name)?.has(to.name) === true)
      .map((to) => `  ${idOf(from.name)} --> ${idOf(to.name)}`),
  );
  return [
    '```mermaid',
    'flowchart TD',
    '  subgraph core',
    ...rooms.filter(isOfCore).map((room) => `    ${nodeOf(room)}`),
    '  end',
    ...rooms.filter((room) => !isOfCore(room)).map((room) => `  ${nodeOf(room)}`),
    ...lines,
    '```',
  ].join('\n');
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const text = await readFile(page, 'utf8');
const begin = text.indexOf(BEGIN);
const end = text.indexOf(END);
if (begin === -1 || end < begin) throw new Error(`${page} must contain ${BEGIN} and ${END}.`);
const picture = draw(reduceTransitively(await findArrows()));
const wanted = `${text.slice(0, begin)}${BEGIN}\n\n${picture}\n\n${text.slice(end)}`;
if (!values.check) {
  await writeFile(page, wanted);
} else if (wanted !== text) {
  process.stderr.write('docs/architecture.md is out of date: npx -y pnpm run docs:layers\n');
  process.exitCode = 1;
}
