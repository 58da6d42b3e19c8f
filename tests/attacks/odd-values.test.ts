import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const SPARSE: readonly [name: string, code: string][] = [
  ['an array of the largest length', 'const a = []; a.length = 2 ** 32 - 1; return a'],
  ['an array with one element far away', 'const a = []; a[2 ** 32 - 2] = 1; return a'],
  [
    'a thousand such arrays',
    'return Array.from({ length: 1000 }, () => { const a = []; a.length = 2 ** 31; return a; })',
  ],
];

attacks('odd values', {}, [
  ...SPARSE.map(([name, code]) => ({
    kind: 43 as const,
    name: `${name} is refused by its count`,
    code,
    expected: { error: 'RESULT_LIMIT' } as const,
  })),
  {
    kind: 43,
    name: 'numbers, texts and dates at the edges',
    code: `return [-0, NaN, Infinity, -Infinity, 2 ** 53 + 2, 5e-324, 1.7976931348623157e308, -(2n ** 64n),
      '\\ud800', '\\udfff\\ud800', '\\u2028\\u2029\\u0000\\ufeff', '</script>', new Date(NaN), new Date(8.64e15), undefined, null]`,
    expected: {
      value: [
        -0,
        Number.NaN,
        Infinity,
        -Infinity,
        2 ** 53 + 2,
        5e-324,
        Number.MAX_VALUE,
        -(2n ** 64n),
        '\uD800',
        '\uDFFF\uD800',
        '\u2028\u2029\u0000\uFEFF',
        '</script>',
        new Date(Number.NaN),
        new Date(8.64e15),
        undefined,
        null,
      ],
    },
  },
  {
    kind: 43,
    name: 'the same through a tool',
    code: 'return await echo([-0, NaN, "\\ud800", undefined, new Date(NaN), 2n ** 70n])',
    tools: { echo: (input: unknown) => input },
    expected: { value: [-0, Number.NaN, '\uD800', undefined, new Date(Number.NaN), 2n ** 70n] },
  },
  {
    kind: 43,
    name: 'a map with keys of every type',
    code: 'return new Map([[NaN, 1], [-0, 2], [{}, 3], [[1], 4], [null, 5], [undefined, 6], [new Date(0), 7]])',
    expected: {
      value: new Map<unknown, unknown>([
        [Number.NaN, 1],
        [0, 2],
        [{}, 3],
        [[1], 4],
        [null, 5],
        [undefined, 6],
        [new Date(0), 7],
      ]),
    },
  },
  {
    kind: 43,
    name: 'a pattern with a hostile lastIndex',
    code: 'const p = /a/g; p.lastIndex = { valueOf() { for (;;); } }; return p',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT', 'RESULT_LIMIT'] },
  },
  ...[
    ['a symbol as key', 'return { [Symbol("a")]: 1 }'],
    ['an array with a name', 'return Object.assign([1], { name: 1 })'],
    ['a property that is not enumerable', 'return Object.defineProperty({}, "a", { value: 1 })'],
    ['a class instance', 'return new (class Account { a = 1 })()'],
    ['a subclass of Array', 'return new (class List extends Array {})()'],
    ['a subclass of Map', 'return new (class Table extends Map {})()'],
    ['a generator', 'return (function* () {})()'],
    [
      'a module-like object',
      'return Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true } })',
    ],
    ['arguments', 'return (function () { return arguments; })(1, 2)'],
    ['a WeakRef', 'return new WeakRef({})'],
    ['an iterator', 'return [1].values()'],
    ['Math', 'return Math'],
    ['the global object', 'return globalThis'],
    ['tools', 'return tools'],
    ['a date with a property', 'return Object.assign(new Date(0), { a: 1 })'],
    ['a map with a property', 'return Object.assign(new Map(), { a: 1 })'],
    ['a Temporal value', 'return Temporal.Instant.fromEpochMilliseconds(0)'],
    ['an Intl formatter', 'return new Intl.NumberFormat()'],
  ].map(([name, code]) => ({
    kind: 43 as const,
    name: `${name} is refused, never cut down`,
    code: code ?? '',
    tools: { one: (): number => 1 },
    expected: { error: 'UNSERIALIZABLE_RESULT' } as const,
  })),
  {
    kind: 21,
    name: 'a view sends its own bytes, and nothing of the memory behind it',
    code: `
      const all = new Uint8Array(64).fill(115);
      return [all.subarray(10, 12), new DataView(all.buffer, 20, 1), new Uint16Array(all.buffer, 2, 1)]`,
    expected: {
      value: [new Uint8Array([115, 115]), expect.any(DataView), expect.any(Uint16Array)],
    },
    check: (outcome) => {
      const views = (outcome as { value: ArrayBufferView[] }).value;
      expect(views.map(({ byteLength }) => byteLength)).toEqual([2, 1, 2]);
      expect(views.map(({ buffer }) => buffer.byteLength)).toEqual([2, 1, 2]);
    },
  },
  {
    kind: 21,
    name: "a Buffer variable brings nothing of Node's shared pool",
    code: 'return [bytes.byteLength, bytes.buffer.byteLength, bytes.byteOffset]',
    variables: { bytes: Buffer.from('tiny') },
    expected: { value: [4, 4, 0] },
  },
  {
    kind: 21,
    name: 'a Buffer result of a tool brings nothing of it either',
    code: 'const bytes = await tool(); return [bytes.byteLength, bytes.buffer.byteLength]',
    tools: { tool: () => Buffer.from('tiny') },
    expected: { value: [4, 4] },
  },
  {
    kind: [21, 43],
    name: 'detached memory has no bytes to send',
    code: 'const bytes = new Uint8Array(8); bytes.buffer.transfer(); return [bytes]',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
    check: (outcome) => {
      if (outcome.ok) expect(outcome.value).toEqual([new Uint8Array()]);
    },
  },
  {
    kind: [21, 43],
    name: 'memory that is shrunk by a getter while it is written',
    code: `
      const buffer = new ArrayBuffer(1000, { maxByteLength: 1000 });
      const bytes = new Uint8Array(buffer).fill(1);
      return [{ get a() { buffer.resize(1); return 1; } }, bytes]`,
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
    check: (outcome) => {
      if (!outcome.ok) return;
      expect((outcome.value as [unknown, Uint8Array])[1].byteLength).toBe(1);
    },
  },
  {
    kind: 43,
    name: 'a view that is out of the bounds of its memory',
    code: `
      const buffer = new ArrayBuffer(16, { maxByteLength: 16 });
      const view = new Uint8Array(buffer, 8, 8);
      buffer.resize(4);
      return [view]`,
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
  },
]);
