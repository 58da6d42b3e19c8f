import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { FileSessionStore, replaySession, SqliteSessionStore } from '@glovebox/core';
import type { SessionStore } from '@glovebox/core';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import { startScript } from '../support/script.ts';

let folder: string;
const closing: (() => void)[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'glovebox-store-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) close();
  await rm(folder, { recursive: true });
});

async function linesOf(store: SessionStore, id: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of store.read(id)) lines.push(line);
  return lines;
}

/** Every store, under what it calls the same place each time. */
const STORES: Readonly<Record<string, () => SessionStore>> = {
  file: () => new FileSessionStore({ directory: path.join(folder, 'sessions') }),
  'file without fsync': () =>
    new FileSessionStore({ directory: path.join(folder, 'sessions'), fsync: 'never' }),
  sqlite: () => {
    const store = new SqliteSessionStore({ file: path.join(folder, 'sessions.db') });
    closing.push(() => store.close());
    return store;
  },
};

describe.each(Object.entries(STORES))('%s store', (_name, open) => {
  test('gives lines back in order, to others too', async () => {
    const writer = await open().create('a', ['one', 'two']);
    // Everything that a line may hold: only a newline ends it.
    const lines = ['three\u2028\u2029\r\u0085\v', 'ünï©ode 🧤', '', 'x'.repeat(200_000)];
    for (const line of lines) await writer.append(line);
    await writer.close();
    expect(await linesOf(open(), 'a')).toEqual(['one', 'two', ...lines]);
  });

  test('goes on where it was', async () => {
    await (await open().create('a', ['one'])).close();
    const writer = await open().open('a');
    await writer.append('two');
    await writer.close();
    expect(await linesOf(open(), 'a')).toEqual(['one', 'two']);
  });

  test('keeps sessions apart', async () => {
    const [a, b] = [await open().create('a', ['a1']), await open().create('b', ['b1'])];
    await a.append('a2');
    await b.append('b2');
    await Promise.all([a.close(), b.close()]);
    const store = open();
    expect([await linesOf(store, 'a'), await linesOf(store, 'b')]).toEqual([
      ['a1', 'a2'],
      ['b1', 'b2'],
    ]);
  });

  test('has more lines than it reads at once', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
    await (await open().create('a', lines)).close();
    expect(await linesOf(open(), 'a')).toEqual(lines);
  });

  test('refuses a name that is taken', async () => {
    await (await open().create('a', ['one'])).close();
    await expect(open().create('a', ['two'])).rejects.toMatchObject({
      code: 'PLAN_SESSION_EXISTS',
    });
    expect(await linesOf(open(), 'a')).toEqual(['one']);
  });

  test('knows no others', async () => {
    const store = open();
    await (await store.create('a', ['one'])).close();
    const unknown = { code: 'PLAN_SESSION_UNKNOWN' };
    await expect(store.open('b')).rejects.toMatchObject(unknown);
    await expect(linesOf(store, 'b')).rejects.toMatchObject(unknown);
  });

  test.each(['../a', 'a/b', '.', '', 'a\0b'])(
    'takes no name that leads elsewhere: %j',
    async (id) => {
      const bad = { code: 'INVALID_OPTIONS', path: 'sessionId' };
      await expect(open().create(id, ['one'])).rejects.toMatchObject(bad);
      await expect(replaySession(open(), id)).rejects.toMatchObject(bad);
    },
  );

  test('has one writer a session; readers need not wait', async () => {
    const writer = await open().create('a', ['one']);
    const busy = { code: 'PLAN_SESSION_BUSY' };
    await expect(open().open('a')).rejects.toMatchObject(busy);
    await expect(open().create('a', ['one'])).rejects.toMatchObject(busy);
    expect(await linesOf(open(), 'a')).toEqual(['one']);
    await writer.close();
    await (await open().open('a')).close();
  });
});

describe.each(['file', 'sqlite'])('%s store, with another process', (kind) => {
  test('has one writer over processes, until that process is killed', async () => {
    const store = STORES[kind]?.() as SessionStore; // One of those above.
    const holder = startScript('tests/fixtures/holds-session.ts', [kind, folder]);
    await new Promise((resolve) => holder.stdout?.once('data', resolve));
    await expect(store.open('held')).rejects.toMatchObject({ code: 'PLAN_SESSION_BUSY' });
    holder.kill('SIGKILL');
    await new Promise((resolve) => holder.once('exit', resolve));
    const writer = await store.open('held');
    await writer.append('two');
    await writer.close();
    expect(await linesOf(store, 'held')).toEqual(['one', 'two']);
  });
});

const fileOf = (id: string): string => path.join(folder, 'sessions', `${id}.ndjson`);

describe('a file', () => {
  test('is lines of text', async () => {
    await (await STORES['file']?.().create('a', ['one', 'two']))?.close();
    expect(await readFile(fileOf('a'), 'utf8')).toBe('one\ntwo\n');
    expect(await readdir(path.join(folder, 'sessions'))).toEqual(['a.lock', 'a.ndjson']);
  });

  test.each([
    ['a short one', 'tor'],
    ['a long one', 'x'.repeat(200_000)],
    ['half a character', Buffer.from('ü').subarray(0, 1)],
  ])('whose last line is torn: %s', async (_what, torn) => {
    const store = new FileSessionStore({ directory: path.join(folder, 'sessions') });
    await (await store.create('a', ['one', 'two'])).close();
    await appendFile(fileOf('a'), torn);
    expect(await linesOf(store, 'a')).toEqual(['one', 'two']);
    const writer = await store.open('a');
    await writer.append('three');
    await writer.close();
    expect(await readFile(fileOf('a'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  test('with nothing but a torn line', async () => {
    const store = new FileSessionStore({ directory: path.join(folder, 'sessions') });
    await (await store.create('a', ['one'])).close();
    await writeFile(fileOf('a'), 'tor');
    await (await store.open('a')).close();
    expect(await readFile(fileOf('a'), 'utf8')).toBe('');
  });
});

test.each([
  [() => new FileSessionStore({ directory: '' }), 'directory'],
  [() => new FileSessionStore({ directory: 'x', fsync: 'often' as never }), 'fsync'],
  [() => new SqliteSessionStore({ file: '' }), 'file'],
])('bad options', (make, at) => {
  expect(make).toThrow(expect.objectContaining({ code: 'INVALID_OPTIONS', path: at }));
});
