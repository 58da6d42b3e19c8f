import { attacks } from './support/attack.ts';
import type { Variant } from './support/variants.ts';
import { expect } from './support/expect.ts';

/**
 * Values that are small as text and cost much to make of it. Each is sent as a result, as an argument
 * of a tool, as the details of an error and as a line of log: wherever it is decoded, the caller's event
 * loop goes on.
 */
const VALUES: readonly { readonly name: string; readonly make: string }[] = [
  {
    // V8 mixes the bits of a small integer without a seed, so that its mixing can be turned back.
    name: 'integers whose hashes collide, in a Set that is there nine times',
    make: `
      const inverse = (factor) => { let x = 1; for (let n = 0; n < 6; n++) x = Math.imul(x, 2 - Math.imul(factor, x)); return x; };
      const [i2057, i5, i32767] = [2057, 5, 32767].map(inverse);
      const unshift = (y, by) => { let x = y; for (let n = 0; n < 32; n += by) x = y ^ (x >>> by); return x; };
      const set = new Set();
      for (let n = 0; n < 10_000; n++) {
        let x = Math.imul(unshift(n << 17, 16), i2057);
        x = Math.imul(unshift(x, 4), i5);
        set.add(Math.imul(unshift(x, 12) + 1, i32767));
      }
      return Array(9).fill(set);`,
  },
  {
    name: 'keys of a Map whose hashes collide',
    make: 'return new Map(Array.from({ length: 10_000 }, (_, n) => [BigInt(n) << 64n, n]))',
  },
  {
    name: 'BigInts that share their low 64 bits',
    make: 'return Array(3).fill(new Set(Array.from({ length: 10_000 }, (_, n) => BigInt(n) << 64n)))',
  },
  {
    name: 'text whose hashes cannot be chosen',
    make: 'return new Set(Array.from({ length: 60_000 }, (_, n) => "key " + n))',
  },
  {
    name: 'regular expressions of Unicode properties',
    make: "return Array.from({ length: 20 }, (_, n) => new RegExp(n + '\\\\p{L}'.repeat(3800), 'u'))",
  },
  {
    name: 'regular expressions of emoji',
    make: "return Array.from({ length: 20 }, (_, n) => new RegExp(n + '\\\\p{RGI_Emoji}'.repeat(100), 'v'))",
  },
  {
    name: 'regular expressions with ranges that ignore case',
    make: "return Array.from({ length: 20 }, (_, n) => new RegExp(n + '[\\\\0-\\\\uffff]'.repeat(900), 'iv'))",
  },
  { name: 'dates', make: 'return Array.from({ length: 30_000 }, (_, n) => new Date(n))' },
  {
    name: 'errors within errors',
    make: `
      let error = new Error('x');
      for (let n = 0; n < 300; n++) error = new Error('x'.repeat(100), { cause: error });
      return Array(20).fill(error);`,
  },
  {
    name: 'errors of errors',
    make: "return new AggregateError(Array.from({ length: 8000 }, () => new TypeError('x')))",
  },
  {
    name: 'many small Maps',
    make: 'return Array.from({ length: 20_000 }, (_, n) => new Map([[n, n]]))',
  },
  {
    name: 'an object of many names',
    make: "return Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => ['name ' + n, n]))",
  },
  {
    name: 'an object of sparse indices',
    make: 'return Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [n * 4096 + 1_000_000, n]))',
  },
  {
    name: 'names of many characters',
    make: "return Object.fromEntries(Array.from({ length: 8 }, (_, n) => ['x'.repeat(1e5) + n, n]))",
  },
  { name: 'huge BigInts', make: 'return Array(200).fill(10n ** 4000n)' },
  { name: 'empty lists', make: 'return Array.from({ length: 300_000 }, () => [])' },
  { name: 'small objects', make: 'return Array.from({ length: 100_000 }, (_, n) => ({ n }))' },
  {
    name: 'typed arrays',
    make: 'return Array.from({ length: 15_000 }, (_, n) => new Float64Array([n, n]))',
  },
  {
    name: 'lists with holes',
    make: 'return Array.from({ length: 15_000 }, (_, n) => { const list = [n]; list.length = 9; return list; })',
  },
  { name: 'one long text of escapes', make: "return '\\u0001\\ud800'.repeat(80_000)" },
];

const LIMITS = { wallMs: 20_000, memoryMb: 256 };
const TOOLS = {
  take: (): number => 1,
  fail: (value: unknown): never => {
    throw Object.assign(new Error('no'), { details: value });
  },
};

/** What a value that costs too much may end as; the others come through. */
const ENDS = ['value', 'RESULT_LIMIT', 'TOOL_DATA_LIMIT', 'GUEST_ERROR'] as const;

const variants = VALUES.flatMap(({ name, make }): Variant[] => {
  const made = `const value = (() => { ${make} })();`;
  const common = {
    kind: [34, 50],
    limits: LIMITS,
    tools: TOOLS,
    expected: { endsIn: ENDS },
  } as const;
  return [
    { ...common, name: `${name}: as the result`, code: `${made} return value` },
    {
      ...common,
      name: `${name}: in the log, as an argument, as details of an error and as its cause`,
      code: `
        ${made}
        console.log(value);
        await take(value);
        const error = await fail(value).catch((error) => error);
        throw Object.assign(new Error('x', { cause: [error, value] }), { value })`,
    },
  ];
});

attacks("values that cost the caller's event loop more than their text", {}, variants);

attacks('values that would take the time of the square of their size', {}, [
  {
    kind: [34, 50],
    name: 'are a limit that says how much was allowed and used',
    code: 'return new Set(Array.from({ length: 45_000 }, (_, n) => BigInt(n) << 64n))',
    limits: { ...LIMITS, wallMs: 60_000 },
    expected: { error: 'RESULT_LIMIT' },
    check: (outcome) => {
      if (outcome.ok) throw new Error('A value came.');
      const { limit = 0, used = 0, message } = outcome.error;
      expect(message).toBe(`The result takes more than ${limit} ms to read.`);
      expect(used).toBeGreaterThan(limit);
    },
  },
]);
