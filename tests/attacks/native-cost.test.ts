import { attacks } from './support/attack.ts';

/** Loops over builtins that take a millisecond each lose now and then the word that they must stop. */
const UNSURE = 'V8 does not always end it when it is told to, and then its thread burns for good.';
const UNSTOPPABLE = 'V8 does not interrupt it, so its thread would be busy for seconds.';

/** Builtins that cost much, again and again: the wall limit ends each. */
const LOOPS: readonly [name: string, code: string, notInThreads?: string][] = [
  ['a power of BigInt', 'let b = 3n; for (;;) b = b ** 3n % 10n ** 5000n', UNSURE],
  ['a division of BigInt', 'const b = 7n ** 100000n; for (;;) b / 3n ** 50000n', UNSURE],
  ['toString of BigInt', 'const b = 7n ** 100000n; for (;;) b.toString()', UNSURE],
  ['BigInt of a long text', 'const t = "9".repeat(100000); for (;;) BigInt(t)', UNSURE],
  ['normalize', 'const t = "\\u0958".repeat(100000); for (;;) t.normalize("NFD")', UNSURE],
  [
    'toLocaleString',
    'for (;;) (1e300).toLocaleString("de", { style: "currency", currency: "EUR" })',
  ],
  [
    'Intl.DateTimeFormat',
    'for (;;) new Intl.DateTimeFormat("ja", { dateStyle: "full" }).format(0)',
  ],
  ['localeCompare', 'const t = "\\u00e4".repeat(100000); for (;;) t.localeCompare(t + "b")'],
  [
    'Intl.Segmenter',
    'const t = "a b ".repeat(100000); for (;;) [...new Intl.Segmenter().segment(t)]',
    UNSURE,
  ],
  ['Date.parse', 'const t = "1".repeat(1e6); for (;;) Date.parse(t)', UNSURE],
  ['replaceAll', 'const t = "a".repeat(1e5); for (;;) t.replaceAll("a", "bb")'],
  ['split', 'const t = "a,".repeat(1e5); for (;;) t.split(",")'],
  [
    'flattening of ropes',
    'for (;;) { let t = ""; for (let n = 0; n < 1e4; n++) t += n; t.indexOf("x"); }',
  ],
  [
    'sort of a typed array',
    'const a = new Float64Array(1e6).map((_, n) => -n); for (;;) a.slice().sort()',
  ],
  [
    'a sort with a comparator',
    'const a = Array.from({ length: 1e5 }, (_, n) => -n); for (;;) a.toSorted((x, y) => x - y)',
  ],
  [
    'JSON.stringify',
    'const a = Array.from({ length: 1e4 }, (_, n) => ({ n })); for (;;) JSON.stringify(a)',
    UNSURE,
  ],
  [
    'JSON.parse',
    'const t = JSON.stringify(Array.from({ length: 1e4 }, (_, n) => ({ n }))); for (;;) JSON.parse(t)',
    UNSURE,
  ],
  [
    'structuredClone',
    'const a = Array.from({ length: 1e4 }, (_, n) => ({ n })); for (;;) structuredClone(a)',
  ],
  ['compiling functions', 'for (let n = 0; ; n++) new Function(`return ${n}`)'],
  [
    'compiling regular expressions',
    'for (let n = 0; ; n++) new RegExp(`(a${n}|b){1,50}`).test("x")',
  ],
  ['base64', 'const t = "a".repeat(1e5); for (;;) atob(btoa(t))'],
  [
    'text encoding',
    'const t = "\\u00e4".repeat(1e5); for (;;) new TextDecoder().decode(new TextEncoder().encode(t))',
  ],
  ['throwing errors', 'for (;;) try { null.a } catch (error) { error.stack }'],
  [
    'proxies of proxies',
    'let p = {}; for (let n = 0; n < 5000; n++) p = new Proxy(p, {}); for (;;) try { p.a } catch {}',
  ],
  ['labels of console', 'for (;;) console.log({ a: [1, 2, 3] })'],
  [
    'encodeURIComponent',
    'const t = "\\u00e4".repeat(1e5); for (;;) decodeURIComponent(encodeURIComponent(t))',
    UNSURE,
  ],
  [
    'toBase64 of bytes',
    'const b = new Uint8Array(1e6); for (;;) Uint8Array.fromBase64(b.toBase64())',
  ],
  [
    'Temporal',
    'for (;;) Temporal.Instant.from("2020-01-01T00:00Z").toZonedDateTimeISO("Europe/Berlin").toString()',
  ],
];

/** A single call that may take longer than the limit; nobody can say which wall ends it first. */
const SINGLE: typeof LOOPS = [
  [
    'toString of a BigInt of a million digits',
    '(7n ** 2000000n).toString(); for (;;);',
    UNSTOPPABLE,
  ],
  ['squares of a BigInt', 'let b = 2n; for (;;) b = b * b; for (;;);', UNSTOPPABLE],
  ['a join of nothing', 'new Array(2 ** 32 - 1).join(""); for (;;);', UNSTOPPABLE],
];

attacks(
  'builtins that cost much',
  { limits: { wallMs: 200 }, atOnce: 3 },
  [...LOOPS, ...SINGLE].map(([name, code, notInThreads]) => ({
    kind: 31,
    name,
    code,
    ...(notInThreads !== undefined && { notInThreads }),
    expected: { error: 'WALL_LIMIT', limit: 200 },
  })),
);
