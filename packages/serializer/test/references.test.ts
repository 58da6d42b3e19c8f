import { deserialize, SafeSerializer, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

const preserve = { references: 'preserve' } as const;
const roundTrip = <Value>(value: Value): Value =>
  deserialize<Value>(serialize(value, preserve), preserve);

test('by default an object that is held twice becomes two', () => {
  const shared = { a: 1 };
  const read = deserialize<object[]>(serialize([shared, shared]));
  expect(read).toEqual([{ a: 1 }, { a: 1 }]);
  expect(read[0]).not.toBe(read[1]);
});

test.each<[name: string, make: () => object]>([
  ['an object', () => ({ a: 1 })],
  ['an array', () => [1]],
  ['a sparse array', () => [1, , 2]],
  ['a null-prototype object', () => Object.create(null) as object],
  ['an object with a tag', () => ({ __type__: 1 })],
  ['an object with index keys', () => ({ 1: 1, a: 2 })],
  ['a Date', () => new Date(0)],
  ['a RegExp', () => /x/],
  ['a Map', () => new Map([[{}, {}]])],
  ['a Set', () => new Set([{}])],
  ['an Error', () => new Error('x')],
  ['a Buffer', () => Buffer.from('x')],
  ['a typed array', () => new Uint16Array(1)],
  ['a URL', () => new URL('http://a/')],
  ['a boxed primitive', () => Object(1) as object],
])('%s that is held three times stays one', (_name, make) => {
  const shared = make();
  const read = roundTrip({ first: shared, other: [new Map([[shared, { deep: shared }]])] });
  const [entry] = read.other[0] ?? [];
  expect(read.first).toEqual(shared);
  expect(entry?.[0]).toBe(read.first);
  expect(entry?.[1].deep).toBe(read.first);
});

test('objects that are equal stay apart', () => {
  const read = roundTrip([{}, {}, new Date(0), new Date(0)]);
  expect(read[0]).not.toBe(read[1]);
  expect(read[2]).not.toBe(read[3]);
});

test('a doubly linked list keeps its links either way', () => {
  interface Link {
    name: string;
    next?: Link;
    previous?: Link;
  }
  const first: Link = { name: 'first' };
  const second: Link = { name: 'second', previous: first };
  first.next = second;
  for (const options of [{}, preserve]) {
    const read = deserialize<Link>(serialize(first, options));
    expect(read.next?.previous).toBe(read);
    expect(read.next?.name).toBe('second');
  }
});

test('a graph in which everything holds everything stays small and the same', () => {
  const nodes = Array.from({ length: 20 }, (_, id) => ({ id, others: new Set<object>() }));
  for (const one of nodes) for (const other of nodes) one.others.add(other);
  const read = roundTrip(nodes);
  for (const one of read) expect([...one.others]).toEqual(expect.arrayContaining(read));
  expect(read[3]?.others.has(read[7] as object)).toBe(true);
});

test('the text of a cycle and of a reference', () => {
  const ring: Record<string, unknown> = { list: [] };
  (ring['list'] as unknown[]).push(ring, ring['list']);
  expect(serialize(ring)).toBe(
    'safe:{"list":[{"__type__":"cycle","level":0},{"__type__":"cycle","level":1}]}',
  );
  expect(serialize(ring, preserve)).toBe(
    'safe:{"__type__":"graph","data":{"list":[{"__type__":"ref","id":0},{"__type__":"ref","id":1}]}}',
  );
  expect(serialize({ 1: 0 }, preserve)).toBe(
    'safe:{"__type__":"graph","data":{"__type__":"dict_with_complex_keys","data":[["1",0]],"js":"object"}}',
  );
});

test('a graph is read whatever the options of the reader', () => {
  const shared = {};
  const read = deserialize<object[]>(serialize([shared, shared], preserve));
  expect(read[0]).toBe(read[1]);
});

class Box {
  content: unknown;
  constructor(content: unknown) {
    this.content = content;
  }
}
const boxes = (options = {}): SafeSerializer =>
  new SafeSerializer(options).register({
    name: 'Box',
    class: Box,
    serialize: (box) => box.content,
    deserialize: (content) => new Box(content),
  });

test('a cycle through a custom type has no text', () => {
  const box = new Box([]);
  (box.content as unknown[]).push({ back: box });
  for (const serializer of [boxes(), boxes(preserve)]) {
    expect(errorOf(() => serializer.serialize({ box }))).toMatchObject({
      code: 'CYCLE',
      path: '.box.data[0].back',
      value: box,
    });
  }
});

test('custom values that are held twice stay one', () => {
  const box = new Box({ a: [] });
  const serializer = boxes(preserve);
  const read = serializer.deserialize<[Box, Box, object]>(
    serializer.serialize([box, box, (box.content as { a: [] }).a]),
  );
  expect(read[0]).toBeInstanceOf(Box);
  expect(read[0]).toBe(read[1]);
  expect(read[2]).toBe((read[0].content as { a: [] }).a);
});

test('text cannot lead back to a custom value that is still being read', () => {
  const inner = (json: string): string => `safe:{"__type__":"Box","data":[${json}]}`;
  expect(errorOf(() => boxes().deserialize(inner('{"__type__":"cycle","level":0}'))).code).toBe(
    'MALFORMED',
  );
  const graph =
    'safe:{"__type__":"graph","data":{"__type__":"Box","data":[{"__type__":"ref","id":0}]}}';
  expect(errorOf(() => boxes().deserialize(graph)).code).toBe('MALFORMED');
});
