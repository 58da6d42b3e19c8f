import { deserialize, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const tag = (name: string, fields = ''): string => `{"__type__":"${name}"${fields}}`;
const data = (name: string, value: string): string => tag(name, `,"data":${value}`);

/** Tags and keys that a registry made of a plain object would inherit. */
const inherited = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  '',
];

test.each([...inherited, 'Set', 'float', 'unknown'])('the tag %j is unknown', (name) => {
  const error = errorOf(() => deserialize(`safe:[${data(name, '[]')}]`));
  expect(error.code).toBe('UNKNOWN_TAG');
  expect(error.path).toBe('[0]');
});

test.each(['1', 'null', 'true', '[]', '["set"]', '{}', tag('undefined')])(
  'a tag that is %s is no tag',
  (value) => {
    expect(errorOf(() => deserialize(`safe:{"__type__":${value}}`)).code).toBe('MALFORMED');
  },
);

const texts: [name: string, json: string][] = [
  ['trailing garbage', '1 2'],
  ['a comment', '/**/1'],
  ['bare NaN', 'NaN'],
  ['bare Infinity', '[-Infinity]'],
  ['a leading zero', '01'],
  ['an open list', '[1'],
  ['a raw line break in a text', '"\n"'],

  ['undefined with data', data('undefined', '1')],
  ['a number that JSON has', data('number', '"1"')],
  ['a number of another notation', data('number', '"+Infinity"')],
  ['a number too large', data('number', '"1e999"')],
  ['a number as number', data('number', '1')],
  ['a number without data', tag('number')],
  ['a number with more', tag('number', ',"data":"NaN","js":1')],
  ...[
    '""',
    '"-"',
    '"0x10"',
    '"1_000"',
    '" 1 "',
    '"1e3"',
    '"-0"',
    '"01"',
    '"1.0"',
    '"+1"',
    '1',
    '"１"',
  ].map((text): [string, string] => [`the BigInt ${text}`, data('bigint', text)]),

  ['a hole outside of an array', tag('hole', ',"count":1')],
  ['a hole in an object', `{"a":${tag('hole', ',"count":1')}}`],
  ['a hole in a tuple', data('tuple', `[${tag('hole', ',"count":1')}]`)],
  ['a hole without count', `[${tag('hole')}]`],
  ['two holes in a row', `[${tag('hole', ',"count":1')},${tag('hole', ',"count":1')}]`],
  ...['0', '-1', '1.5', '"1"', 'null', '[1]'].map((count): [string, string] => [
    `a hole of ${count}`,
    `[${tag('hole', `,"count":${count}`)}]`,
  ]),

  ...['-1', '0', '1', '0.5', '"0"', 'null', '1e20'].map((level): [string, string] => [
    `a cycle of level ${level} at the root`,
    tag('cycle', `,"level":${level}`),
  ]),
  ['a cycle below itself', `[[${tag('cycle', ',"level":2')}]]`],
  ['a cycle within a graph', data('graph', `[${tag('cycle', ',"level":0')}]`)],
  ['a cycle without level', `[${tag('cycle')}]`],
  ['a reference without a graph', `[${tag('ref', ',"id":0')}]`],
  ...['-1', '1', '2', '0.5', '"0"', 'null', '1e20', '"__proto__"'].map((id): [string, string] => [
    `a reference to ${id}`,
    data('graph', `[${tag('ref', `,"id":${id}`)},[]]`),
  ]),
  ['a reference without id', data('graph', `[${tag('ref')}]`)],
  ['a graph within', `[${data('graph', '1')}]`],
  ['a graph within a graph', data('graph', data('graph', '1'))],
  ['a graph without data', tag('graph')],
  ['a graph with more', tag('graph', ',"data":1,"more":1')],
  ['a key that is an index, in a graph', data('graph', '{"1":[]}')],

  ['a tuple without data', tag('tuple')],
  ['a tuple of an object', data('tuple', '{}')],
  ['a tuple of a tag', data('tuple', data('tuple', '[]'))],
  ['a tuple with more', tag('tuple', ',"data":[],"length":3')],
  ['a set of a text', data('set', '"ab"')],
  ['a set with a member twice', data('set', '[1,1]')],
  ['a frozenset with a member twice', data('frozenset', '["a","a"]')],
  ['a dict of an object', data('dict_with_complex_keys', '{}')],
  ['a dict of texts', data('dict_with_complex_keys', '["ab"]')],
  ['a dict of a single', data('dict_with_complex_keys', '[[1]]')],
  ['a dict of a triple', data('dict_with_complex_keys', '[[1,2,3]]')],
  ['a dict with a key twice', data('dict_with_complex_keys', '[[1,2],[1,3]]')],
  ['a dict with an unknown hint', tag('dict_with_complex_keys', ',"data":[],"js":"WeakMap"')],
  ['a dict with a hint that is no text', tag('dict_with_complex_keys', ',"data":[],"js":null')],
  [
    'an object with a key that is no text',
    tag('dict_with_complex_keys', ',"data":[[1,2]],"js":"object"'),
  ],
  [
    'an object with a key that joins for ever',
    tag('dict_with_complex_keys', ',"data":[[[[]],2]],"js":"null"'),
  ],
  [
    'an object with a key twice',
    tag('dict_with_complex_keys', ',"data":[["a",1],["a",2]],"js":"object"'),
  ],
  ['an object of a single', tag('dict_with_complex_keys', ',"data":[["a"]],"js":"object"')],

  ...[
    '"YQ"',
    '"YQ="',
    '"YQ==="',
    '"YQ=a"',
    '"YR=="',
    '"YWJ="',
    '"YWJj\\n"',
    '" YWJj"',
    '"YW Jj"',
    '"YW-_"',
    '"!!!!"',
    '"====" ',
    '"A==="',
    '"YQ==YQ=="',
    '1',
    'null',
    '[97]',
    '"éééé"',
    '"#0"',
    '"#0=="',
  ].map((text): [string, string] => [`the bytes ${text}`, data('bytes', text)]),
  ['bytes without data', tag('bytes')],
  ['bytes with a length', tag('bytes', ',"data":"YQ==","byteLength":1000000000')],
  ['bytes of an unknown kind', tag('bytes', ',"data":"","js":"SharedArrayBuffer"')],
  ['bytes of a kind that is inherited', tag('bytes', ',"data":"","js":"constructor"')],
  ['bytes of a kind that is no text', tag('bytes', ',"data":"","js":8')],
  ['bytes that are no whole elements', tag('bytes', ',"data":"YQ==","js":"Float64Array"')],
  ['an image that is no base64', data('PIL.Image', '"!"')],
  ['an array of numpy without type', data('ndarray', '[]')],
  ['an array of numpy of no text', tag('ndarray', ',"data":[],"dtype":1')],
  ['a typed array of another type', tag('ndarray', ',"data":[],"dtype":"int8","js":"Int16Array"')],
  ['a typed array of an unknown kind', tag('ndarray', ',"data":[],"dtype":"int8","js":"List"')],
  ['a typed array of a kind that is no text', tag('ndarray', ',"data":[],"dtype":"int8","js":1')],
  [
    'a typed array of no list',
    tag('ndarray', ',"data":{"length":1000000000},"dtype":"int8","js":"Int8Array"'),
  ],
  ['a typed array of texts', tag('ndarray', ',"data":["1"],"dtype":"int8","js":"Int8Array"')],
  [
    'a typed array of numbers out of range',
    tag('ndarray', ',"data":[300],"dtype":"int8","js":"Int8Array"'),
  ],
  [
    'a BigInt array of fractions',
    tag('ndarray', ',"data":[1.5],"dtype":"int64","js":"BigInt64Array"'),
  ],
  [
    'a BigInt array out of range',
    tag('ndarray', ',"data":[-1],"dtype":"uint64","js":"BigUint64Array"'),
  ],

  ...[
    '""',
    '"2024-02-30T00:00:00+00:00"',
    '"2023-02-29T00:00:00+00:00"',
    '"1900-02-29T00:00:00+00:00"',
    '"2024-04-31T00:00:00+00:00"',
    '"2024-13-01T00:00:00+00:00"',
    '"2024-00-01T00:00:00+00:00"',
    '"2024-01-00T00:00:00+00:00"',
    '"2024-01-32T00:00:00+00:00"',
    '"0000-01-01T00:00:00+00:00"',
    '"2024-01-01T24:00:00+00:00"',
    '"2024-01-01T00:60:00+00:00"',
    '"2024-01-01T00:00:60+00:00"',
    '"2024-01-01T24:00:00.000+00:00"',
    '"2024-01-01T00:60:00.000+00:00"',
    '"2024-01-01T00:00:60.000+00:00"',
    '"2024-01-01T00:00:00.00x+00:00"',
    '"2024-01-01T00:00:0x.000+00:00"',
    '"2024-01-01T00:00:00Z"',
    '"2024-01-01 00:00:00+00:00"',
    '"2024-01-01T00:00"',
    '"2024-01-01T00:00:00.1+00:00"',
    '"2024-01-01T00:00:00.1234567+00:00"',
    '"2024-01-01T00:00:00+24:00"',
    '"2024-01-01T00:00:00+00:60"',
    '"2024-01-01T00:00:00+00"',
    '"2024-01-01T00:00:00+0000"',
    '"2024-01-01T00:00:00+00:00:60"',
    '"2024-01-01T00:00:00+00:00:00.1"',
    '"2024-01-01T00:00:00+00:00:00,000001"',
    '"2024-01-01T00:00:00+00:00:00.000001x"',
    '"2024-01-01T00:00:00+00-00"',
    '"2024-01-01T00:00:00+00:00x00"',
    '"2024/01-01T00:00:00"',
    '"2024-01/01T00:00:00"',
    '"2024-01-01x00:00:00"',
    '"2024-01-01T00x00:00"',
    '"2024-01-01T00:00x00"',
    '"2024-01-01T0x:00:00"',
    '"2024-01-01T00:0x:00"',
    '"2024-01-01T00:00:0x"',
    '"+012024-01-01T00:00:00+00:00"',
    '"９024-01-01T00:00:00"',
    '1',
    'null',
  ].map((text): [string, string] => [`the datetime ${text}`, data('datetime', text)]),
  ...['0', '-62135596800000', '253402300799999', '9e15', '-9e15', '1.5', '"0"', 'true'].map(
    (ms): [string, string] => [`a time of ${ms} ms`, data('date_ms', ms)],
  ),
  ['a date with a time', data('date', '"2024-01-01T00:00:00"')],
  ['a date that is none', data('date', '"2024-02-30"')],
  ['a time with a date', data('time', '"2024-01-01T00:00:00"')],
  ['a time that is none', data('time', '"25:00:00"')],
  ['a span of text', tag('timedelta', ',"total_seconds":"1"')],
  ['a span that is not finite', tag('timedelta', `,"total_seconds":${data('number', '"NaN"')}`)],
  ['a span without seconds', tag('timedelta')],
  ['a complex number of texts', tag('complex', ',"real":"1","imag":2')],
  ['a complex number without its other part', tag('complex', ',"real":1')],
  ...['""', '"1,5"', '"0x10"', '" 1"', '"1e"', '"."', '"--1"', '"NaNx"', '1'].map(
    (text): [string, string] => [`the decimal ${text}`, data('Decimal', text)],
  ),
  ['a path of a number', data('Path', '1')],
  ['a dataclass without module', tag('dataclass', ',"class_name":"A","data":{}')],
  ['a dataclass of no name', tag('dataclass', ',"class_name":1,"module":"m","data":{}')],
  ['a dataclass of a number', tag('dataclass', ',"class_name":"A","module":"m","data":1')],
  ['a dataclass of null', tag('dataclass', ',"class_name":"A","module":"m","data":null')],
  [
    'a dataclass within itself',
    tag('dataclass', `,"class_name":"A","module":"m","data":{"a":${tag('cycle', ',"level":0')}}`),
  ],
  [
    'an array of numpy within itself',
    tag('ndarray', `,"data":[${tag('cycle', ',"level":0')}],"dtype":"object"`),
  ],

  ['a RegExp with a flag twice', tag('regexp', ',"source":"a","flags":"gg"')],
  ['a RegExp with an unknown flag', tag('regexp', ',"source":"a","flags":"x"')],
  ['a RegExp with flags out of order', tag('regexp', ',"source":"a","flags":"ig"')],
  ['a RegExp that does not parse', tag('regexp', ',"source":"(","flags":""')],
  ['a RegExp that is written otherwise', tag('regexp', ',"source":"/","flags":""')],
  ['a RegExp without flags', tag('regexp', ',"source":"a"')],
  ['a RegExp of a number', tag('regexp', ',"source":1,"flags":""')],
  ['a RegExp with flags that are no text', tag('regexp', ',"source":"a","flags":[]')],
  ...['0', '-1', '1.5', '"1"', 'null'].map((index): [string, string] => [
    `a RegExp with the lastIndex ${index}`,
    tag('regexp', `,"source":"a","flags":"g","lastIndex":${index}`),
  ]),
  ['a URL that is none', data('url', '"no url"')],
  ['a URL that is written otherwise', data('url', '"http://a"')],
  ['a URL of a number', data('url', '1')],
  ['a box of an object', data('boxed', '{}')],
  ['a box of null', data('boxed', 'null')],
  ['a box of undefined', data('boxed', tag('undefined'))],
  ['a box of a box', data('boxed', data('boxed', '1'))],

  ['an error without class', tag('error', ',"message":"m"')],
  ['an error of an unknown class', tag('error', ',"class":"DOMException"')],
  ['an error of an inherited class', tag('error', ',"class":"constructor"')],
  ['an error of no class', tag('error', ',"class":{"prototype":1}')],
  ['an error with a message that is no text', tag('error', ',"class":"Error","message":1')],
  ['an error with a stack that is no text', tag('error', ',"class":"Error","stack":[]')],
  ['an error with a name that is no text', tag('error', ',"class":"Error","name":null')],
  ['an error with more', tag('error', ',"class":"Error","then":1')],
  ['an error with properties of an object', tag('error', ',"class":"Error","properties":{"a":1}')],
  ['an error with a property of no name', tag('error', ',"class":"Error","properties":[[1,1]]')],
  [
    'an error with a property twice',
    tag('error', ',"class":"Error","properties":[["a",1],["a",1]]'),
  ],
  [
    'an error with a message in its properties, too',
    tag('error', ',"class":"Error","message":"a","properties":[["message",1]]'),
  ],
  ['an error with a single', tag('error', ',"class":"Error","properties":[["a"]]')],
];

test.each(texts)('%s is refused', (_name, json) => {
  expect(errorOf(() => deserialize(`safe:${json}`)).code).toBe('MALFORMED');
});

test.each(texts.filter(([, json]) => !json.includes('"cycle","level"')))(
  '%s is refused where it stands',
  (_name, json) => {
    const error = errorOf(() => deserialize(`safe:{"rows":[0,{"at":${json}}]}`));
    expect(error.code).toBe('MALFORMED');
    // What is no JSON has no place; and what leads to nothing at the root may lead up from here.
    if (error.message !== 'The text is not JSON') expect(error.path).toMatch(/^\.rows\[1\]\.at/);
  },
);

test('the later of two equal keys counts, as in all JSON', () => {
  expect(deserialize('safe:{"__type__":"set","data":[1],"__type__":"tuple"}')).toEqual([1]);
  expect(deserialize('safe:{"a":1,"a":2}')).toEqual({ a: 2 });
});

test('a tag is seen however its key is written', () => {
  expect(deserialize('safe:{"\\u005f_type__":"undefined"}')).toBe(undefined);
  expect(deserialize('safe:{ "_\\u005Ftype__" : "set", "data": [ 1 ] }')).toEqual(new Set([1]));
  expect(deserialize('safe: [\n1\t] ')).toEqual([1]);
});

test('inherited names are plain keys of plain data', () => {
  for (const key of inherited) {
    const json = `{${JSON.stringify(key)}:[{"data":1}]}`;
    const read = deserialize<object>(`safe:${json}`);
    expect(Object.keys(read)).toEqual([key]);
    expect(serialize(read)).toBe(`safe:${json}`);
  }
});

test('long base64 is read wherever it stands, and refused where it is none', () => {
  const long = Buffer.alloc(30_000, 'glove').toString('base64');
  const bytes = data('bytes', `"${long}"`);
  const image = data('PIL.Image', `"${long}"`);
  const spaced = `{"__type__": "bytes", "data": "${long}"}`;
  const read = deserialize<unknown[]>(
    `safe:[${bytes},${image},"${long}",${spaced},{"data":"${long}"}]`,
  );
  expect(read[0]).toEqual(new Uint8Array(Buffer.from(long, 'base64')));
  expect(read[2]).toBe(long);
  expect(read[3]).toEqual(read[0]);
  expect(read[4]).toEqual({ data: long });
  const forged = [
    `[${bytes},${data('bytes', '"#0"')}]`,
    `[${data('bytes', '"#0"')},${bytes}]`,
    `[${data('bytes', '"#1"')},${bytes}]`,
    `[${data('bytes', `"${long.slice(1)}"`)}]`,
    `[${data('bytes', `"${long.slice(4)}-_-_"`)}]`,
    `[${data('bytes', `"${long}\\""`)}]`,
    `[${data('bytes', `"${long}\n\n\n\n"`)}]`,
  ];
  for (const json of forged)
    expect(errorOf(() => deserialize(`safe:${json}`)).code).toBe('MALFORMED');
  // A text that looks like a tag with all its quotes is a text.
  const looksSo = `x","__type__":"bytes","data":"${long}`;
  expect(deserialize(serialize({ a: looksSo, at: new Date(0) }))).toEqual({
    a: looksSo,
    at: new Date(0),
  });
});
