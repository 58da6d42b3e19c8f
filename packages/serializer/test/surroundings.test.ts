import * as host from '@glovebox/serializer';
import type * as pure from '@glovebox/serializer/safe';
import { afterEach, describe, expect, test, vi } from 'vitest';

import { makeCorpus } from './fixtures/corpus.ts';
import { errorOf } from './fixtures/error-of.ts';

type Api = typeof pure;

/** What the package finds when it is evaluated, and what it does without. */
const surroundings: [name: string, hidden: { globals: string[]; base64: boolean }][] = [
  ['on Node with base64 of V8', { globals: [], base64: true }],
  ['on Node without it', { globals: [], base64: false }],
  ['without Node, with base64 of V8', { globals: ['Buffer', 'process'], base64: true }],
  ['without Node and without it', { globals: ['Buffer', 'process'], base64: false }],
];

async function evaluateIn({
  globals,
  base64,
}: {
  globals: string[];
  base64: boolean;
}): Promise<Api> {
  vi.resetModules();
  for (const name of globals) vi.stubGlobal(name, undefined);
  const prototype = Uint8Array.prototype as { toBase64?: unknown };
  const constructor = Uint8Array as { fromBase64?: unknown };
  const { toBase64 } = prototype;
  const { fromBase64 } = constructor;
  if (!base64) {
    delete prototype.toBase64;
    delete constructor.fromBase64;
  }
  try {
    return await import('@glovebox/serializer/safe');
  } finally {
    if (toBase64 !== undefined)
      Object.defineProperty(prototype, 'toBase64', {
        value: toBase64,
        configurable: true,
        writable: true,
      });
    if (fromBase64 !== undefined)
      Object.defineProperty(constructor, 'fromBase64', {
        value: fromBase64,
        configurable: true,
        writable: true,
      });
    vi.unstubAllGlobals();
  }
}

afterEach(() => {
  vi.resetModules();
});

describe.each(surroundings)('%s', (_name, hidden) => {
  test('every value has the same text, which reads the same', async () => {
    const api = await evaluateIn(hidden);
    const here = makeCorpus(host);
    for (const [name, value] of Object.entries(makeCorpus(api))) {
      const text = api.serialize(value);
      expect([name, text]).toEqual([name, host.serialize(here[name])]);
      expect(api.serialize(api.deserialize(text))).toBe(text);
    }
  });

  test('bytes of every length have the one canonical text', async () => {
    const api = await evaluateIn(hidden);
    const all = Uint8Array.from({ length: 150_000 }, (_, n) => (n * 2_654_435_761) >>> 24);
    for (const length of [
      0, 1, 2, 3, 4, 5, 6, 255, 256, 257, 6143, 6144, 6145, 6146, 12_288, 20_000, 73_728, 73_729,
      73_730, 147_456, 150_000,
    ]) {
      const bytes = all.subarray(all.length - length);
      const text = api.serialize(bytes);
      expect(text).toBe(
        `safe:{"__type__":"bytes","data":"${Buffer.from(bytes).toString('base64')}"}`,
      );
      expect(Buffer.compare(api.deserialize<Uint8Array>(text), bytes)).toBe(0);
      expect(api.deserialize<Uint8Array>(text).buffer.byteLength).toBe(length);
    }
  });

  test.each([
    'YQ',
    'YQ=',
    'YQ===',
    'YR==',
    'YWJ=',
    'YW Jj',
    'YW-_',
    'YW_-',
    '!!!!',
    '====',
    'A===',
    'YQ==YQ==',
    'Y=Q=',
    'é===',
    'YWJjé',
    'YQ=\n',
    'YWJj    ',
    'YWJj    ',
  ])('base64 %j is refused', async (text) => {
    const api = await evaluateIn(hidden);
    const attempt = (): unknown =>
      api.deserialize(`safe:${JSON.stringify({ __type__: 'bytes', data: text })}`);
    expect(attempt).toThrow(api.SerializationError);
  });

  test('the bytes of a text are counted alike', async () => {
    const api = await evaluateIn(hidden);
    for (const [text, used] of [
      ['aé', 10],
      ['日本', 13],
      ['💥', 11],
      ['\ud83d', 13],
      ['a💥\u00ff日\udca5', 23],
    ] as const) {
      const limits = { maxBytes: used - 1 };
      expect(api.serialize(text, { limits: { maxBytes: used } })).toBe(
        `safe:${JSON.stringify(text)}`,
      );
      expect(() => api.serialize(text, { limits })).toThrow(
        `maxBytes is ${used - 1}, needed at least ${used}`,
      );
    }
  });
});

test('where there is no Buffer, its bytes are a Uint8Array', async () => {
  const api = await evaluateIn({ globals: ['Buffer'], base64: true });
  const read = api.deserialize<Uint8Array>(host.serialize(Buffer.from('hi')));
  expect(Object.getPrototypeOf(read)).toBe(Uint8Array.prototype);
  expect([...read]).toEqual([104, 105]);
  expect(api.serialize(read)).toBe(host.serialize(Buffer.from('hi')));
  expect(api.serialize(read.slice())).toBe(host.serialize(new Uint8Array([104, 105])));
});

test('where a Proxy cannot be told, each property is read once', async () => {
  const api = await evaluateIn({ globals: ['process'], base64: true });
  let reads = 0;
  const watched = new Proxy(
    { a: 1, b: [] },
    {
      get: (target, key) => {
        reads++;
        return Reflect.get(target, key) as unknown;
      },
    },
  );
  expect(api.serialize(watched)).toBe('safe:{"a":1,"b":[]}');
  expect(reads).toBe(2);
  expect(errorOf(() => host.serialize(watched)).code).toBe('UNSUPPORTED_TYPE');
});

test('where there is no URL, its text is refused', async () => {
  vi.resetModules();
  vi.doMock('../src/platform.ts', async (original) => ({
    ...(await original<object>()),
    UrlConstructor: undefined,
  }));
  const api = await import('@glovebox/serializer/safe');
  vi.doUnmock('../src/platform.ts');
  const text = host.serialize({ at: new URL('http://a/') });
  expect(() => api.deserialize(text)).toThrow('There is no URL here (at .at)');
  expect(() => api.serialize(new URL('http://a/'))).toThrow(api.SerializationError);
});

test('what stands in a text as it is counts as UTF-8 has it, and a lone surrogate three bytes', async () => {
  const units = [
    '\u007f',
    '\u0080',
    '\u07ff',
    '\u0800',
    '\ud7ff',
    '\ud800',
    '\udbff',
    '\udc00',
    '\udfff',
    '\ue000',
    '\uffff',
    'a',
  ];
  // Each of them alone, and next to each.
  const contents = units.flatMap((one) => [one, ...units.map((other) => one + other)]);
  for (const { globals } of [{ globals: [] }, { globals: ['Buffer'] }]) {
    const api = await evaluateIn({ globals, base64: true });
    for (const content of contents) {
      const text = `safe:"${content}"`;
      const used = Buffer.byteLength(text);
      expect(api.deserialize(text, { limits: { maxBytes: used } })).toBe(content);
      expect(() => api.deserialize(text, { limits: { maxBytes: used - 1 } })).toThrow(
        `needed at least ${used}`,
      );
    }
  }
});

test('a text of more units than bytes are allowed is refused before any are counted', async () => {
  for (const { globals } of [{ globals: [] }, { globals: ['Buffer'] }]) {
    const api = await evaluateIn({ globals, base64: true });
    expect(() => api.deserialize('safe:"日本"', { limits: { maxBytes: 8 } })).toThrow(
      'maxBytes is 8, needed at least 9',
    );
    expect(() => api.deserialize('safe:"日本"', { limits: { maxBytes: 9 } })).toThrow(
      'maxBytes is 9, needed at least 13',
    );
  }
});
