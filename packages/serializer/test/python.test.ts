import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import * as api from '@glovebox/serializer';
import { describe, expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const { deserialize, SafeSerializer, tuple } = api;
const python = new SafeSerializer({ profile: 'python' });
const script = fileURLToPath(new URL('fixtures/wire.py', import.meta.url));

/** Runs all commands in one process, so that a test costs one start of Python. */
function ask(commands: readonly object[]): unknown[] {
  const input = commands.map((command) => JSON.stringify(command)).join('\n');
  const { stdout, status, stderr } = spawnSync('python3', [script], { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

const hasPython =
  spawnSync('python3', ['-c', 'import sys; assert sys.version_info >= (3, 10)']).status === 0;
const hasNumpy = hasPython && spawnSync('python3', ['-c', 'import numpy']).status === 0;

/** A value of JavaScript, the text of the Python profile, and the same value of Python. */
const pairs: [text: string, value: unknown, expression: string][] = [
  ['null', null, 'None'],
  ['true', true, 'True'],
  ['1', 1, '1'],
  ['1.5', 1.5, '1.5'],
  ['-0.0', -0, '-0.0'],
  ['NaN', Number.NaN, 'math.nan'],
  ['[Infinity,-Infinity]', [Infinity, -Infinity], '[math.inf, -math.inf]'],
  ['9007199254740991', Number.MAX_SAFE_INTEGER, '2**53 - 1'],
  ['1e+22', 1e22, '1e22'],
  ['9007199254740992.0', 2 ** 53, 'float(2**53)'],
  ['-100000000000000000000.0', -1e20, '-1e20'],
  ['9007199254740992', 2n ** 53n, '2**53'],
  ['1267650600228229401496703205376', 2n ** 100n, '2**100'],
  ['-18446744073709551616', -(2n ** 64n), '-2**64'],
  ['"a\\"\\u0000é"', 'a"\u0000é', '"a\\"\\0é"'],
  ['"\\ud800"', '\ud800', '"\\ud800"'],
  ['{"a":[1,{"b":null}]}', { a: [1, { b: null }] }, '{"a": [1, {"b": None}]}'],
  [
    '{"__type__":"tuple","data":[1,"a",{"__type__":"tuple","data":[]}]}',
    tuple(1, 'a', tuple()),
    '(1, "a", ())',
  ],
  ['{"__type__":"set","data":[1,"a",null]}', new Set([1, 'a', null]), '{1, "a", None}'],
  ['{"__type__":"frozenset","data":[1]}', new api.FrozenSet([1]), 'frozenset([1])'],
  [
    '{"__type__":"dict_with_complex_keys","data":[[1,"a"],["1","b"],[{"__type__":"tuple","data":[1,2]},3]],"js":"Map"}',
    new Map<unknown, unknown>([
      [1, 'a'],
      ['1', 'b'],
      [tuple(1, 2), 3],
    ]),
    '{1: "a", "1": "b", (1, 2): 3}',
  ],
  [
    '{"__type__":"dict_with_complex_keys","data":[["__type__","tuple"],["data",[1]]],"js":"object"}',
    { __type__: 'tuple', data: [1] },
    '{"__type__": "tuple", "data": [1]}',
  ],
  [
    '{"__type__":"dict_with_complex_keys","data":[["a",1]],"js":"null"}',
    Object.assign(Object.create(null) as object, { a: 1 }),
    '{"a": 1}',
  ],
  ['{"__type__":"bytes","data":"AQL/"}', Uint8Array.from([1, 2, 255]), 'bytes([1, 2, 255])'],
  ['{"__type__":"bytes","data":"aGk=","js":"Buffer"}', Buffer.from('hi'), 'b"hi"'],
  ['{"__type__":"bytes","data":"AA==","js":"ArrayBuffer"}', new ArrayBuffer(1), 'bytes(1)'],
  [
    '{"__type__":"datetime","data":"2024-01-02T03:04:05.678+00:00"}',
    new Date('2024-01-02T03:04:05.678Z'),
    'dt.datetime(2024, 1, 2, 3, 4, 5, 678000, dt.timezone.utc)',
  ],
  [
    '{"__type__":"datetime","data":"2024-01-02T03:04:05"}',
    new api.DateTime('2024-01-02T03:04:05'),
    'dt.datetime(2024, 1, 2, 3, 4, 5)',
  ],
  [
    '{"__type__":"datetime","data":"2024-01-02T03:04:05.678901+05:30"}',
    new api.DateTime('2024-01-02T03:04:05.678901+05:30'),
    'dt.datetime(2024, 1, 2, 3, 4, 5, 678901, dt.timezone(dt.timedelta(hours=5, minutes=30)))',
  ],
  [
    '{"__type__":"date","data":"2024-02-29"}',
    new api.CalendarDate('2024-02-29'),
    'dt.date(2024, 2, 29)',
  ],
  [
    '{"__type__":"time","data":"03:04:05.000006+00:00"}',
    new api.WallTime('03:04:05.000006+00:00'),
    'dt.time(3, 4, 5, 6, dt.timezone.utc)',
  ],
  [
    '{"__type__":"timedelta","total_seconds":86400.000001}',
    new api.TimeDelta(86_400.000001),
    'dt.timedelta(days=1, microseconds=1)',
  ],
  ['{"__type__":"Decimal","data":"1.10"}', new api.Decimal('1.10'), 'Decimal("1.10")'],
  ['{"__type__":"Path","data":"/a/b"}', new api.FilePath('/a/b'), 'pathlib.Path("/a/b")'],
  ['{"__type__":"complex","real":1,"imag":-2.5}', new api.Complex(1, -2.5), 'complex(1, -2.5)'],
  [
    '{"__type__":"complex","real":NaN,"imag":-0.0}',
    new api.Complex(Number.NaN, -0),
    'complex(math.nan, -0.0)',
  ],
  [
    '{"__type__":"dataclass","class_name":"Person","module":"models","data":{"name":"A","age":1}}',
    new api.Dataclass('Person', 'models', { name: 'A', age: 1 }),
    'Person("A", 1)',
  ],
];
const numpyPairs: typeof pairs = [
  [
    '{"__type__":"ndarray","data":[[1,2],[3,4]],"dtype":"int64"}',
    new api.NdArray(
      [
        [1, 2],
        [3, 4],
      ],
      'int64',
    ),
    'np.array([[1, 2], [3, 4]])',
  ],
  [
    '{"__type__":"ndarray","data":[1.5,NaN,-0.0],"dtype":"float64","js":"Float64Array"}',
    Float64Array.from([1.5, Number.NaN, -0]),
    'np.array([1.5, math.nan, -0.0])',
  ],
  [
    '{"__type__":"ndarray","data":[0,255],"dtype":"uint8","js":"Uint8ClampedArray"}',
    Uint8ClampedArray.from([0, 255]),
    'np.array([0, 255], dtype="uint8")',
  ],
  [
    '{"__type__":"ndarray","data":[1.5],"dtype":"float16","js":"Float16Array"}',
    Float16Array.from([1.5]),
    'np.array([1.5], dtype="float16")',
  ],
  [
    '{"__type__":"ndarray","data":[-1,4611686018427387904],"dtype":"int64","js":"BigInt64Array"}',
    BigInt64Array.from([-1n, 2n ** 62n]),
    'np.array([-1, 2**62])',
  ],
];

test.each([...pairs, ...numpyPairs])(
  '%s is the text of its value, and comes back',
  (text, value) => {
    expect(python.serialize(value)).toBe(`safe:${text}`);
    const read = python.deserialize(`safe:${text}`);
    expect(read).toEqual(value);
    expect(python.serialize(read)).toBe(`safe:${text}`);
  },
);

describe.skipIf(!hasPython)('with Python', () => {
  const known = hasNumpy ? [...pairs, ...numpyPairs] : pairs;

  test('an unmodified reader reads every text as its value, of the right type', () => {
    const answers = ask(
      known.map(([text, , expr]) => ({ op: 'check', text: `safe:${text}`, expr })),
    );
    expect(answers.map((answer, at) => [known[at]?.[0], answer])).toEqual(
      known.map(([text]) => [
        text,
        text.includes('NaN') && text.includes('ndarray') ? expect.any(String) : 'same',
      ]),
    );
  });

  test('what Python writes is read, and goes back as it came', () => {
    const extra = [
      '[1.0, 1e16, 10**30, -10**30, "NaN, Infinity and 12345678901234567890", math.nan]',
      '{"nested": {(1, 2): {"deep": {b"x": [set(), frozenset()]}}}}',
      '[dt.datetime.min, dt.datetime.max, dt.date.min, dt.date.max, dt.time.max, dt.timedelta(-1, 3)]',
      '[dt.datetime(2024, 1, 2, tzinfo=dt.timezone(dt.timedelta(seconds=-1)))]',
      '[Decimal("NaN"), Decimal("-Infinity"), Decimal("0E-10"), Decimal("sNaN12")]',
      '"\\ud800 \\u2028 💥 \\\\ \\""',
      '[{"a\\"NaN": "\\\\\\\\"}, math.inf]',
    ];
    // Of a dict with the key of the tag, Python writes what it reads as a tag.
    const own = known.map(([, , expr]) => expr).filter((expr) => !expr.includes('__type__'));
    const expressions = [...own, ...extra];
    const texts = ask(expressions.map((expr) => ({ op: 'write', expr }))) as string[];
    const written = texts.map((text) => python.serialize(python.deserialize(text)));
    const answers = ask(written.map((text, at) => ({ op: 'check', text, expr: expressions[at] })));
    answers.forEach((answer, at) => {
      const expression = expressions[at] ?? '';
      // NaN differs from itself for numpy and Decimal; 1.0 comes back as the integer that equals it.
      const differs = /np.*nan|NaN|1\.0,/.test(expression);
      expect([expression, differs ? 'same' : answer]).toEqual([expression, 'same']);
    });
  });

  test('Python spells a Date otherwise, and it is the same Date', () => {
    const texts = ask([
      { op: 'write', expr: 'dt.datetime(2024, 1, 2, 3, 4, 5, tzinfo=dt.timezone.utc)' },
      { op: 'write', expr: 'dt.datetime(2024, 1, 2, 3, 4, 5, 678000, dt.timezone.utc)' },
      { op: 'write', expr: 'dt.datetime(2024, 1, 2, 3, 4, 5, 678001, dt.timezone.utc)' },
    ]) as string[];
    expect(texts.map((text) => deserialize(text))).toEqual([
      new Date('2024-01-02T03:04:05Z'),
      new Date('2024-01-02T03:04:05.678Z'),
      new api.DateTime('2024-01-02T03:04:05.678001+00:00'),
    ]);
  });
});

test('an integer is a number where a number holds it, and a BigInt beyond', () => {
  expect(python.deserialize(python.serialize([5n, 2n ** 53n]))).toEqual([5, 2n ** 53n]);
  expect(python.deserialize('safe:[1234567890123456, 0, -9007199254740993]')).toEqual([
    1234567890123456,
    0,
    -9007199254740993n,
  ]);
  expect(python.deserialize('safe:[1234567890123456.0, 1e22, 12345678901234567890e0]')).toEqual([
    1234567890123456,
    1e22,
    Number('12345678901234567890'),
  ]);
});

test('tokens of Python stay out of texts, and broken JSON stays broken', () => {
  const text = 'NaN -Infinity 12345678901234567890 \\" \\\\';
  expect(
    python.deserialize(`safe:${JSON.stringify({ [text]: [text, Number.MAX_VALUE] })}`),
  ).toEqual({ [text]: [text, Number.MAX_VALUE] });
  for (const json of [
    'NaNNaN',
    '-NaN',
    '1NaN',
    '{NaN:1}',
    '01234567890123456789',
    '--12345678901234567890',
    '"NaN',
    '+Infinity',
    'nan',
    'Infinity1',
    '"\\"',
    '12345678901234567890 1',
  ]) {
    expect(errorOf(() => python.deserialize(`safe:${json}`)).code).toBe('MALFORMED');
  }
  expect(errorOf(() => python.deserialize(`safe:${'1'.repeat(20_000)}`)).limit).toBe(
    'maxBigIntDigits',
  );
});

const cycle: unknown[] = [];
cycle.push({ cycle });

test.each<[name: string, value: unknown, code: string]>([
  ['undefined', [undefined], 'UNSUPPORTED_TYPE'],
  ['a hole', [, 1], 'UNSUPPORTED_TYPE'],
  ['a RegExp', /x/, 'UNSUPPORTED_TYPE'],
  ['an Error', new Error('x'), 'UNSUPPORTED_TYPE'],
  ['a URL', new URL('http://a/'), 'UNSUPPORTED_TYPE'],
  ['a boxed primitive', Object(1), 'UNSUPPORTED_TYPE'],
  ['a Date before year 1', new Date(-1e15), 'UNSUPPORTED_TYPE'],
  ['an invalid Date', new Date(Number.NaN), 'UNSUPPORTED_TYPE'],
  ['a cycle', cycle, 'CYCLE'],
  ['an integer of 4301 digits', 10n ** 4300n, 'UNSUPPORTED_TYPE'],
  ['a Map with an object as key', new Map([[{}, 1]]), 'UNSUPPORTED_TYPE'],
  ['a Map with an array as key', new Map([[[], 1]]), 'UNSUPPORTED_TYPE'],
  ['a Map with a list in a tuple as key', new Map([[tuple(1, [2]), 1]]), 'UNSUPPORTED_TYPE'],
  ['a Set with a Set', new Set([new Set()]), 'UNSUPPORTED_TYPE'],
  ['a Set with a typed array', new Set([new Int8Array(1)]), 'UNSUPPORTED_TYPE'],
  [
    'a Map with 1 and true',
    new Map<unknown, number>([
      [1, 1],
      [true, 2],
    ]),
    'UNSUPPORTED_TYPE',
  ],
  ['a Set with 0 and false', new Set([0, false]), 'UNSUPPORTED_TYPE'],
  ['a Set with 1 and 1n', new Set([1, 1n]), 'UNSUPPORTED_TYPE'],
  ['a Set with 2**60 and its BigInt', new Set([2 ** 60, 2n ** 60n]), 'UNSUPPORTED_TYPE'],
  ['a Set with two equal tuples', new Set([tuple(1), tuple(1)]), 'UNSUPPORTED_TYPE'],
  [
    'a Map with two equal Dates',
    new Map([
      [new Date(1), 1],
      [new Date(1), 2],
    ]),
    'UNSUPPORTED_TYPE',
  ],
])('%s has no text in the Python profile', (_name, value, code) => {
  expect(errorOf(() => python.serialize(value)).code).toBe(code);
});

test('keys that Python hashes and tells apart go', () => {
  const keys = [
    1,
    '1',
    2n ** 60n + 1n,
    null,
    1.5,
    'true',
    new Uint8Array(1),
    Buffer.from('x'),
    new Date(0),
    tuple(1, tuple('a')),
    new api.FrozenSet([1]),
    new api.Decimal('1.5'),
    2n ** 1100n,
  ];
  const text = python.serialize(new Set(keys));
  expect(python.deserialize<Set<unknown>>(text).size).toBe(keys.length);
});
