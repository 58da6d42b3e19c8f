import { DEFAULT_LIMITS, deserialize, serialize } from '@glovebox/serializer';
import type { Limits } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = wrap(0);
  for (let level = 1; level < depth; level++) value = wrap(value);
  return value;
}

const wrappers: [name: string, wrap: (inner: unknown) => unknown][] = [
  ['arrays', (inner) => [inner]],
  ['objects', (inner) => ({ inner })],
  ['Maps', (inner) => new Map([['inner', inner]])],
  ['keys of Maps', (inner) => new Map([[inner, 1]])],
  ['Sets', (inner) => new Set([inner])],
  ['causes', (cause) => new Error('x', { cause })],
  ['errors with dates', (inner) => Object.assign(new Error('x'), { inner })],
  ['objects beside dates', (inner) => ({ at: new Date(0), inner })],
];

test.each(wrappers)('%s may be nested to the limit and no further', (_name, wrap) => {
  for (const options of [{}, { thorough: true }, { references: 'preserve' }] as const) {
    const text = serialize(nested(500, wrap), { errorStacks: false, ...options });
    expect(serialize(deserialize(text), { errorStacks: false, ...options })).toBe(text);
    const error = errorOf(() => serialize(nested(501, wrap), { errorStacks: false, ...options }));
    expect(error).toMatchObject({ code: 'LIMIT', limit: 'maxDepth', allowed: 500, used: 501 });
    const deeper = text.replace(/^safe:(.*)$/s, 'safe:[$1]');
    if (!text.includes('"graph"')) {
      expect(errorOf(() => deserialize(deeper))).toMatchObject({
        code: 'LIMIT',
        limit: 'maxDepth',
      });
    }
  }
});

test.each([1e3, 1e4])('%d levels are refused quickly in both directions', (depth) => {
  const start = performance.now();
  expect(errorOf(() => deserialize(`safe:${'['.repeat(depth)}${']'.repeat(depth)}`)).code).toBe(
    'LIMIT',
  );
  expect(
    errorOf(() => deserialize(`safe:${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`)).code,
  ).toBe('LIMIT');
  expect(
    errorOf(() =>
      deserialize(`safe:${'{"__type__":"set","data":['.repeat(depth)}${']}'.repeat(depth)}`),
    ).code,
  ).toBe('LIMIT');
  expect(errorOf(() => deserialize(`safe:${'['.repeat(depth)}`)).code).toMatch(
    /^(LIMIT|MALFORMED)$/,
  );
  for (const [, wrap] of wrappers.slice(0, 2)) {
    expect(errorOf(() => serialize(nested(depth, wrap))).code).toBe('LIMIT');
  }
  expect(performance.now() - start).toBeLessThan(1000);
});

test('brackets in texts are no depth', () => {
  const brackets = `${'['.repeat(600)}\\"{`;
  const value = ['a "quoted" text', brackets, { [brackets]: [{}, []] }];
  expect(deserialize(serialize(value))).toEqual(value);
  const deep = `safe:{"a":{"b":"]\\"]"},"c":${'['.repeat(600)}${']'.repeat(600)}}`;
  expect(errorOf(() => deserialize(deep))).toMatchObject({
    code: 'LIMIT',
    limit: 'maxDepth',
    allowed: 500,
    used: 501,
  });
});

test('depth is counted through the shallow and the deep alike', () => {
  const limits = { maxDepth: 3 };
  const wide = [[[]], { a: {}, b: [] }, [[]]];
  expect(deserialize(serialize(wide, { limits }), { limits })).toEqual(wide);
  expect(errorOf(() => serialize([[], [[[]]]], { limits })).path).toBe('[1][0][0]');
  expect(errorOf(() => deserialize('safe:[[],{"a":[{}]}]', { limits })).path).toBe('[1].a[0]');
  expect(
    errorOf(() => deserialize(`safe:[[],{"a":[{"b":"${' '.repeat(50)}"}]}]`, { limits })).path,
  ).toBe('[1].a[0]');
  expect(errorOf(() => deserialize('safe:[1,[2,[3,[4]]]]', { limits })).path).toBe('[1][1][1]');
  expect(errorOf(() => serialize([], { limits: { maxDepth: 0 } })).limit).toBe('maxDepth');
  expect(serialize(1, { limits: { maxDepth: 0 } })).toBe('safe:1');
});

test.each<[name: string, value: unknown, nodes: number]>([
  ['a scalar', 1, 1],
  ['an array', [1, 2, 3], 4],
  ['an object', { a: 1, b: [2] }, 4],
  ['a Map', new Map([[1, [2]]]), 4],
  ['a Set', new Set([1, 2]), 3],
  ['holes', [1, , , 4], 5],
  ['a Date among others', [new Date(0), 1], 3],
  ['an error', new Error('x', { cause: [1] }), 3],
  ['undefined', [undefined], 2],
])('%s counts its values', (_name, value, nodes) => {
  for (const thorough of [false, true]) {
    const at = (maxNodes: number) => ({ thorough, limits: { maxNodes } });
    const text = serialize(value, at(nodes));
    expect(serialize(deserialize(text, at(nodes)), at(nodes))).toBe(text);
    expect(errorOf(() => serialize(value, at(nodes - 1)))).toMatchObject({
      code: 'LIMIT',
      limit: 'maxNodes',
      allowed: nodes - 1,
    });
    expect(errorOf(() => deserialize(text, at(nodes - 1))).limit).toBe('maxNodes');
  }
});

test('values are counted where they are written, not where they are kept', () => {
  let bomb: unknown = 'boom';
  for (let level = 0; level < 30; level++) bomb = [bomb, bomb];
  let records: object = {};
  for (let level = 0; level < 30; level++) records = { left: records, right: records };
  for (const options of [{}, { thorough: true }]) {
    for (const value of [bomb, records]) {
      expect(
        errorOf(() => serialize(value, { limits: { maxNodes: 2000 }, ...options })),
      ).toMatchObject({
        code: 'LIMIT',
        limit: 'maxNodes',
        allowed: 2000,
        used: 2001,
      });
    }
  }
});

test('a long text that is held many times over is stopped by the bytes', () => {
  const long = 'x'.repeat(1000);
  const many = Array.from({ length: 1000 }, () => long);
  const limits = { maxBytes: 100_000 };
  for (const value of [
    many,
    { many },
    Object.fromEntries(many.map((text, n) => [n, text])),
    new Set([many]),
  ]) {
    expect(errorOf(() => serialize(value, { limits }))).toMatchObject({
      code: 'LIMIT',
      limit: 'maxBytes',
      allowed: 100_000,
    });
  }
  expect(errorOf(() => serialize({ ['k'.repeat(200_000)]: new Date(0) }, { limits })).limit).toBe(
    'maxBytes',
  );
  expect(errorOf(() => serialize({ ['k'.repeat(200_000)]: 0 }, { limits })).limit).toBe('maxBytes');
  expect(errorOf(() => serialize(new Uint8Array(80_000), { limits })).limit).toBe('maxBytes');
  expect(errorOf(() => serialize('x'.repeat(200_000), { limits }))).toMatchObject({
    limit: 'maxBytes',
    allowed: 100_000,
    used: 200_007,
  });
});

test('bytes are those of UTF-8, prefix included', () => {
  for (const [text, bytes] of [
    ['aé', 10],
    ['日本', 13],
    ['💥', 11],
    ['a💥\u00ff日', 17],
  ] as const) {
    const written = serialize(text);
    expect(Buffer.byteLength(written)).toBe(bytes);
    expect(serialize(text, { limits: { maxBytes: bytes } })).toBe(written);
    expect(deserialize(written, { limits: { maxBytes: bytes } })).toBe(text);
    const limits = { maxBytes: bytes - 1 };
    expect(errorOf(() => serialize(text, { limits }))).toMatchObject({
      limit: 'maxBytes',
      allowed: bytes - 1,
      used: bytes,
    });
    expect(errorOf(() => deserialize(written, { limits }))).toMatchObject({
      limit: 'maxBytes',
      used: bytes,
    });
  }
  expect(
    errorOf(() => deserialize('safe:'.padEnd(100, ' '), { limits: { maxBytes: 50 } })),
  ).toMatchObject({ used: 100 });
});

test('digits of a BigInt are counted without its sign', () => {
  const limits = { maxBigIntDigits: 3 };
  for (const value of [999n, -999n, 0n])
    expect(deserialize(serialize(value, { limits }), { limits })).toBe(value);
  for (const value of [1000n, -1000n]) {
    expect(errorOf(() => serialize(value, { limits }))).toMatchObject({
      limit: 'maxBigIntDigits',
      allowed: 3,
      used: 4,
    });
    expect(errorOf(() => deserialize(serialize(value), { limits }))).toMatchObject({
      limit: 'maxBigIntDigits',
      used: 4,
    });
  }
  expect(errorOf(() => serialize([2n ** 100n], { limits }))).toMatchObject({
    limit: 'maxBigIntDigits',
    path: '[0]',
  });
  expect(deserialize(serialize(10n ** 9999n))).toBe(10n ** 9999n);
  expect(errorOf(() => serialize(10n ** 10_000n))).toMatchObject({
    limit: 'maxBigIntDigits',
    used: 10_001,
  });
  expect(errorOf(() => serialize(2n ** 4_000_000n)).limit).toBe('maxBigIntDigits');
  expect(
    errorOf(() => deserialize(`safe:{"__type__":"bigint","data":"${'9'.repeat(1e6)}"}`)).limit,
  ).toBe('maxBigIntDigits');
});

test('the source of a RegExp has a limit', () => {
  const limits = { maxRegExpLength: 5 };
  expect(deserialize(serialize(/abcde/, { limits }), { limits })).toEqual(/abcde/);
  expect(errorOf(() => serialize([/abcdef/], { limits }))).toMatchObject({
    limit: 'maxRegExpLength',
    allowed: 5,
    used: 6,
    path: '[0]',
  });
  expect(errorOf(() => deserialize(serialize([/abcdef/]), { limits }))).toMatchObject({
    limit: 'maxRegExpLength',
    used: 6,
    path: '[0]',
  });
  const huge = `safe:{"__type__":"regexp","source":"${'a'.repeat(1e6)}","flags":""}`;
  expect(errorOf(() => deserialize(huge)).limit).toBe('maxRegExpLength');
});

test('a long text of a scalar is a scalar', () => {
  const space = ' '.repeat(3000);
  expect(deserialize(`safe:null${space}`)).toBe(null);
  expect(deserialize(`safe:${space}"${space}"`)).toBe(space);
});

test('nothing is allocated from a length that is only declared', () => {
  const before = process.memoryUsage();
  const hole = (count: number): string => `{"__type__":"hole","count":${count}}`;
  for (const json of [
    `[${hole(2 ** 32 - 2)}]`,
    `[${hole(1e9)},1]`,
    `[${Array.from({ length: 25 }, () => `[${hole(1e8)},1]`).join(',')}]`,
  ]) {
    expect(errorOf(() => deserialize(`safe:${json}`)).limit).toBe('maxNodes');
  }
  const wide = deserialize<unknown[][]>(`safe:[[${hole(900_000)},1],[2,${hole(900_000)}]]`);
  expect(wide.map((array) => array.length)).toEqual([900_001, 900_001]);
  expect(Object.keys(wide[0] ?? [])).toEqual(['900000']);
  expect(Object.keys(wide[1] ?? [])).toEqual(['0']);
  const after = process.memoryUsage();
  expect(after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers).toBeLessThan(
    4e6,
  );
});

test('an array of the greatest length is refused without a look at its holes', () => {
  const sparse: unknown[] = [];
  sparse.length = 2 ** 32 - 1;
  const distant: unknown[] = [];
  distant[1e8] = 1;
  const start = performance.now();
  for (const value of [sparse, distant, { sparse }, [1, distant], new Map([[1, sparse]])]) {
    for (const thorough of [true, false])
      expect(errorOf(() => serialize(value, { thorough })).limit).toBe('maxNodes');
  }
  expect(performance.now() - start).toBeLessThan(500);
});

test('only what a view shows is written, and what is read aliases nothing', () => {
  const secret = Buffer.from('TOP-SECRET-TOKEN');
  const small = Buffer.from('hi');
  expect(serialize(small)).toBe('safe:{"__type__":"bytes","data":"aGk=","js":"Buffer"}');
  expect(serialize(new Uint8Array(1e5).subarray(0, 10)).length).toBeLessThan(60);
  expect(serialize(new DataView(new ArrayBuffer(1e5), 5, 3)).length).toBeLessThan(60);
  const read = deserialize<Buffer>(serialize(small));
  expect(read.buffer.byteLength).toBe(2);
  expect(Buffer.from(read.buffer).includes(secret)).toBe(false);
  expect(deserialize<Uint8Array>(serialize(new Uint8Array(3))).buffer.byteLength).toBe(3);
});

test('a view that its buffer has outrun shows what it still shows', () => {
  const buffer = new ArrayBuffer(8, { maxByteLength: 16 });
  const tracking = new Uint8Array(buffer);
  buffer.resize(2);
  expect(deserialize(serialize(tracking))).toEqual(new Uint8Array(2));
  const fixed = new Uint8Array(buffer, 1, 1);
  buffer.resize(0);
  expect(deserialize(serialize(fixed))).toEqual(new Uint8Array(0));
  const view = new DataView(new ArrayBuffer(8, { maxByteLength: 8 }), 4, 4);
  view.buffer.resize(2);
  expect(errorOf(() => serialize(view)).code).toBe('UNSUPPORTED_TYPE');
});

test('the defaults are the ones of the documentation', () => {
  expect(DEFAULT_LIMITS).toEqual({
    maxDepth: 500,
    maxNodes: 2_000_000,
    maxBytes: 64 * 2 ** 20,
    maxBigIntDigits: 10_000,
    maxRegExpLength: 20_000,
    maxRegExpWork: 100_000,
  } satisfies Limits);
  expect(Object.isFrozen(DEFAULT_LIMITS)).toBe(true);
});
