import { deserialize, SerializationError, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

/** Time of this thread on the processor, which does not grow while others have it. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** About one MiB of each piece, whole or broken. */
const filled = (piece: string, before = '[', after = '0]'): string =>
  `safe:${before}${piece.repeat(Math.ceil(2 ** 20 / piece.length))}${after}`;

test.each([
  ['open brackets', filled('[', '', '')],
  ['nested tags', filled('{"__type__":"set","data":[', '', '')],
  ['closed brackets', `safe:${'['.repeat(2 ** 19)}${']'.repeat(2 ** 19)}`],
  ['small objects', filled('{"a":{}},')],
  ['small tags', filled('{"__type__":"undefined"},')],
  ['small texts', filled('"\\u005f",')],
  ['broken dates', filled('{"__type__":"datetime","data":"2024-01-02T03:04:05.678+00:0x"},')],
  ['dates', filled('{"__type__":"datetime","data":"2024-01-02T03:04:05.678+00:00"},')],
  ['errors', filled('{"__type__":"error","class":"AggregateError","errors":[]},')],
  [
    'sources of RegExps',
    filled(`{"__type__":"regexp","source":"${'(a+)+'.repeat(3000)}","flags":""},`),
  ],
  ['BigInts', filled(`{"__type__":"bigint","data":"${'9'.repeat(10_000)}"},`)],
  ['one BigInt', `safe:{"__type__":"bigint","data":"${'9'.repeat(2 ** 20)}"}`],
  ['one decimal', `safe:{"__type__":"Decimal","data":"${'9'.repeat(2 ** 20)}x"}`],
  ['one base64 that is none', `safe:{"__type__":"bytes","data":"${'A'.repeat(2 ** 20)}!AAA"}`],
  ['small bytes', filled('{"__type__":"bytes","data":"AAAA"},')],
  ['holes', filled('{"__type__":"hole","count":1},0,')],
  ['pairs', filled('["a",[]],', '{"__type__":"dict_with_complex_keys","data":[', '0]}')],
  ['equal members', filled('1,', '{"__type__":"set","data":[', '1]}')],
  ['references', filled('{"__type__":"ref","id":0},', '{"__type__":"graph","data":[', '0]}')],
  ['cycles', filled('{"__type__":"cycle","level":0},')],
  ['keys', `safe:{${Array.from({ length: 87_000 }, (_, n) => `"k${n}":[]`).join(',')}}`],
  ['quotes', filled('"",')],
  ['backslashes', filled('\\', '["', '')],
  ['brackets in a text', `safe:["${'['.repeat(2 ** 20)}\\"",1]`],
])('1 MiB of %s takes less than 50 ms', (_name, text) => {
  // Of some texts, `JSON.parse` alone takes nearly all of it while the machine is busy.
  const start = cpuMs();
  try {
    JSON.parse(text.slice(5));
  } catch {
    // Broken as it is meant to be.
  }
  const parsing = cpuMs() - start;
  const attempts = ['native', 'python'].flatMap((profile) =>
    Array.from({ length: 8 }, () => {
      const begin = cpuMs();
      try {
        deserialize(text, { profile: profile as 'native' });
      } catch (error) {
        expect(error).toBeInstanceOf(SerializationError);
      }
      return { profile, ms: cpuMs() - begin };
    }),
  );
  for (const profile of ['native', 'python']) {
    // The best of some, as what else happens on the machine is not the matter.
    const best = Math.min(
      ...attempts.filter((attempt) => attempt.profile === profile).map(({ ms }) => ms),
    );
    expect(best).toBeLessThan(Math.max(50, 2 * parsing));
  }
});

test('a million levels are refused in a time that is that of their text', () => {
  let arrays: unknown = [];
  let objects: unknown = {};
  for (let level = 0; level < 1e6; level++) {
    arrays = [arrays];
    objects = { inner: objects };
  }
  const start = cpuMs();
  for (const value of [arrays, objects]) {
    for (const thorough of [false, true]) {
      expect(() => serialize(value, { thorough })).toThrow(SerializationError);
    }
  }
  expect(cpuMs() - start).toBeLessThan(200);
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['{"__type__":"set","data":[', ']}'],
  ] as const) {
    const text = `safe:${open.repeat(1e6)}1${close.repeat(1e6)}`;
    expect(() => deserialize(text)).toThrow(SerializationError);
  }
});
