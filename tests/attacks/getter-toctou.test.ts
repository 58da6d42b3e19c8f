import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

attacks('getters that change their mind', {}, [
  {
    kind: 40,
    name: 'a getter is read once, and that is what crosses',
    code: 'let reads = 0; return { get a() { return ++reads; }, get b() { return reads; } }',
    expected: { value: { a: 1, b: 1 } },
  },
  {
    kind: 40,
    name: 'small when it is measured, large when it is written',
    code: 'let reads = 0; return { get a() { return reads++ === 0 ? "small" : "x".repeat(1e7); } }',
    expected: { value: { a: 'small' } },
  },
  {
    kind: 40,
    name: 'a getter that removes what comes after it',
    code: 'const o = { get a() { delete o.b; return 1; }, b: 2 }; return o',
    expected: { value: { a: 1, b: undefined } },
  },
  {
    kind: 40,
    name: 'a getter that adds what was not there',
    code: 'const o = { get a() { o.c = 3; return 1; }, b: 2 }; return o',
    expected: { value: { a: 1, b: 2 } },
  },
  {
    kind: 40,
    name: 'a getter that turns its object into another type',
    code: 'const o = { get a() { Object.setPrototypeOf(o, Date.prototype); return 1; }, b: 2 }; return o',
    expected: { value: { a: 1, b: 2 } },
  },
  {
    kind: 40,
    name: 'an element getter that shortens its array',
    code: 'const list = [0, 1, 2]; Object.defineProperty(list, 0, { get() { list.length = 1; return 0; }, enumerable: true }); return list',
    expected: { value: [0, undefined, undefined] },
  },
  {
    kind: 40,
    name: 'an element getter that lengthens its array',
    code: 'const list = [0, 1]; Object.defineProperty(list, 0, { get() { list.push(7); return 0; }, enumerable: true }); return list',
    expected: { value: [0, 1] },
  },
  {
    kind: 40,
    name: 'a getter inside a map that clears the map',
    code: 'const map = new Map(); map.set("a", { get x() { map.clear(); return 1; } }).set("b", 2); return map',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
    check: (outcome) => {
      if (outcome.ok) expect((outcome.value as Map<string, unknown>).get('a')).toEqual({ x: 1 });
    },
  },
  {
    kind: 40,
    name: 'a getter inside a map that makes the map grow for ever',
    code: 'const map = new Map(); const grow = () => map.set({}, { get x() { grow(); return 1; } }); grow(); return map',
    expected: { endsIn: ['RESULT_LIMIT', 'MEMORY_LIMIT'] },
  },
  {
    kind: 40,
    name: 'a getter inside a set that makes the set grow for ever',
    code: 'const set = new Set(); const grow = () => set.add({ get x() { grow(); return 1; } }); grow(); return set',
    expected: { endsIn: ['RESULT_LIMIT', 'MEMORY_LIMIT'] },
  },
  {
    kind: 40,
    name: 'a getter that gives a new object each time, without an end',
    code: 'class Tree { get next() { return make(); } } const make = () => ({ get next() { return make(); } }); return make()',
    expected: { error: 'RESULT_LIMIT' },
  },
  {
    kind: 40,
    name: 'a wide tree without an end',
    code: 'const make = () => ({ get a() { return make(); }, get b() { return make(); }, x: "x".repeat(1000) }); return make()',
    expected: { error: 'RESULT_LIMIT' },
  },
  {
    kind: 40,
    name: 'a getter that throws is named by its place',
    code: 'return { get a() { throw new RangeError("mine"); } }',
    expected: { error: 'UNSERIALIZABLE_RESULT', path: '.a' },
  },
  {
    kind: 40,
    name: 'a getter that loops',
    code: 'return { get a() { for (;;); } }',
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300, ran: 'yes' },
  },
  {
    kind: 40,
    name: 'a getter that ends the run again from within',
    code: 'return { get a() { throw Object.assign(new Error("x"), { code: "LIMIT", limit: "maxBytes", allowed: 1, used: 2, path: ".b" }); } }',
    expected: { error: 'UNSERIALIZABLE_RESULT', path: '.a' },
  },
  {
    kind: 40,
    name: 'a getter that throws what looks like a refusal of the serializer',
    code: `
      let refusal;
      await tool(() => 1).catch((error) => { refusal = error; });
      refusal.path = { toString() { for (;;); } };
      return { get a() { throw refusal; } }`,
    tools: { tool: (): number => 1 },
    limits: { wallMs: 1000 },
    expected: { endsIn: ['GUEST_ERROR', 'UNSERIALIZABLE_RESULT', 'WALL_LIMIT'] },
  },
  {
    kind: 40,
    name: 'arguments are read once too',
    code: 'let reads = 0; return await tool({ get a() { return ++reads; } })',
    tools: { tool: (input: { a: number }) => [input.a, input.a] },
    expected: { value: [1, 1] },
  },
  {
    kind: 40,
    name: 'a getter of arguments that calls the tool again, without an end',
    code: 'const make = () => ({ get a() { tool(make()).catch(() => {}); return 1; } }); return await tool(make())',
    tools: { tool: (): number => 1 },
    expected: { endsIn: ['TOOL_CALL_LIMIT', 'GUEST_ERROR'] },
  },
]);
