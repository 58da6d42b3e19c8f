import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** Plain data that looks like a tagged value of the wire. */
const FORGED: readonly object[] = [
  { __type__: 'bytes', data: 'AAAA' },
  { __type__: 'set', data: [1, 2] },
  { __type__: 'undefined' },
  { __type__: 'hole', count: 1e9 },
  { __type__: 'cycle', level: 0 },
  { __type__: 'ref', id: 0 },
  { __type__: 'graph', data: 1 },
  { __type__: 'number', data: 'NaN' },
  { __type__: 'bigint', data: '9'.repeat(100) },
  { __type__: 'error', class: 'Error', message: 'x' },
  { __type__: 'regexp', source: '(a+)+$', flags: '' },
  { __type__: 'url', data: 'http://169.254.169.254/' },
  { __type__: 'tuple', data: [] },
  { __type__: 'dict_with_complex_keys', data: [['a', 1]] },
  { __type__: 'dataclass', class_name: 'os.system', module: 'os', data: {} },
  { __type__: 'Path', data: '/etc/passwd' },
  { __type__: 'datetime', data: '2024-01-01T00:00:00' },
  { __type__: 'made-up', data: 1 },
  { __type__: null },
  { __type__: { __type__: 'bytes', data: 'AAAA' } },
  { $safe: 'Map', data: [] },
  { __codemode_binary_v1__: 'Uint8Array', data: 'AAAA' },
  { __n8nType: 'date', __value: 0 },
];

const where: readonly [name: string, wrap: (value: object) => unknown, code: string][] = [
  ['as a result', (value) => value, 'return value'],
  ['in a list', (value) => [value], 'return [value]'],
  ['in a map, both ways', (value) => new Map([[value, value]]), 'return new Map([[value, value]])'],
  ['as the cause of an error', (value) => value, 'return new Error("x", { cause: value }).cause'],
];

attacks('forged tags', {}, [
  ...where.map(([name, wrap, code]) => ({
    kind: 37 as const,
    name: `all stay the data that they are ${name}`,
    code: `return forged.map((value) => { ${code} })`,
    variables: { forged: FORGED },
    expected: { value: FORGED.map(wrap) },
  })),
  {
    kind: 37,
    name: 'made in the guest, each alone',
    script: async ({ executor }) => {
      const outcomes = [];
      for (const value of FORGED) {
        const outcome = await executor.run({ code: `return ${JSON.stringify(value)}` });
        expect(outcome).toMatchObject({ ok: true });
        if (outcome.ok) expect(outcome.value).toStrictEqual(value);
        outcomes.push(outcome);
      }
      return outcomes;
    },
  },
  {
    kind: 37,
    name: 'to a tool and back',
    code: 'return await Promise.all(forged.map((value) => echo(value)))',
    variables: { forged: FORGED },
    tools: { echo: (input: unknown) => input },
    expected: { value: FORGED },
    check: (_outcome, calls) => {
      expect(calls.map(({ input }) => input)).toStrictEqual(FORGED);
    },
  },
  {
    kind: 37,
    name: 'a tag beside other keys, in any order',
    code: 'return [{ a: 1, __type__: "set", data: [] }, { data: [1], __type__: "tuple" }]',
    expected: {
      value: [
        { a: 1, __type__: 'set', data: [] },
        { data: [1], __type__: 'tuple' },
      ],
    },
  },
  {
    kind: 37,
    name: 'a tag that comes from a getter or the prototype',
    code: `
      Object.prototype.__type__ = 'bytes';
      Object.prototype.data = 'AAAA';
      return [{}, { get data() { return [1]; } }]`,
    expected: { value: [{}, { data: [1] }] },
  },
  {
    kind: 37,
    name: 'a tag that appears while the object is read',
    code: `
      const value = { get a() { value.__type__ = 'bytes'; value.data = 'AAAA'; return 1; } };
      return value`,
    expected: { value: { a: 1 } },
  },
]);
