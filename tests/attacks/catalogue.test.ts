import { readdirSync, readFileSync } from 'node:fs';

import { beforeAll, expect, test } from 'vitest';

import { KINDS } from './catalogue.ts';
import { gather } from './support/attack.ts';
import type { Variant } from './support/variants.ts';

const FOLDER = new URL('./', import.meta.url);
const PAGE = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
const SELF = 'catalogue.test.ts';

const variantsOf = new Map<string, readonly Variant[]>();
const filesOf = new Map<string, Set<string>>();

function kindsOf({ kind }: Variant): string[] {
  return (Array.isArray(kind) ? kind : [kind]).map(String);
}

beforeAll(async () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.test.ts') && name !== SELF);
  for (const file of files) {
    const variants = await gather(() => import(new URL(file, FOLDER).href));
    variantsOf.set(file, variants);
    for (const kind of variants.flatMap(kindsOf)) {
      filesOf.set(kind, (filesOf.get(kind) ?? new Set()).add(file));
    }
  }
});

test('every kind has a variant, and every file has some', () => {
  const kinds = Object.keys(KINDS);
  expect(kinds.filter((kind) => !filesOf.has(kind))).toEqual([]);
  expect([...filesOf.keys()].filter((kind) => !kinds.includes(kind))).toEqual([]);
  const empty = [...variantsOf].filter(([, variants]) => variants.length === 0);
  expect(empty.map(([file]) => file)).toEqual([]);

  const all = [...variantsOf.values()].flat();
  const inThreads = all.filter(({ notInThreads }) => notInThreads === undefined);
  console.log(
    `The attack corpus has ${kinds.length} kinds in ${variantsOf.size} files: ` +
      `${all.length} variants, all of them in the process pool and ${inThreads.length} in the ` +
      `thread pool; ${all.length - inThreads.length} are not asked of threads.`,
  );
});

test('no file has two variants of one name', () => {
  const twice = [...variantsOf].flatMap(([file, variants]) => {
    const names = variants.map(({ name }) => name);
    return names.filter((name, at) => names.indexOf(name) !== at).map((name) => [file, name]);
  });
  expect(twice).toEqual([]);
});

test('whatever is not asked of threads says why', () => {
  const reasons = [...variantsOf.values()].flat().map(({ notInThreads }) => notInThreads);
  expect(reasons.filter((reason) => reason !== undefined && reason.length < 30)).toEqual([]);
});

test('the table of the security page names each kind once, with the files that cover it', () => {
  const rows: [kind: string, files: string[]][] = [];
  for (const [, kind = '', files = ''] of PAGE.matchAll(/^\| ([\w-]+) +\|.*\| ([^|]*) \|$/gm)) {
    if (!(kind in KINDS)) continue;
    const links = files.matchAll(/\(\.\.\/tests\/attacks\/([\w.-]+)\)/g);
    rows.push([kind, Array.from(links, ([, file = '']) => file).toSorted()]);
  }
  expect(rows).toHaveLength(Object.keys(KINDS).length);
  const covered = Object.keys(KINDS).map((kind) => [
    kind,
    [...(filesOf.get(kind) ?? [])].toSorted(),
  ]);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(covered));
});
