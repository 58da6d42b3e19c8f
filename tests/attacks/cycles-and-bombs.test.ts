import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const loop: { self?: unknown; list: unknown[] } = { list: [] };
loop.self = loop;
loop.list.push(loop);

attacks('cycles, shared parts and deep nesting', {}, [
  {
    kind: 42,
    name: 'a cycle comes out as one',
    code: 'const o = { list: [] }; o.self = o; o.list.push(o); return o',
    expected: { value: loop },
  },
  {
    kind: 42,
    name: 'a cycle through maps and sets',
    code: 'const map = new Map(); const set = new Set([map]); map.set("set", set); return map',
    expected: { value: expect.any(Map) },
    check: (outcome) => {
      const map = (outcome as { value: Map<string, Set<unknown>> }).value;
      expect(map.get('set')?.has(map)).toBe(true);
    },
  },
  {
    kind: 42,
    name: 'shared parts that double thirty times',
    code: 'let a = ["x"]; for (let n = 0; n < 30; n++) a = [a, a]; return a',
    expected: { error: 'RESULT_LIMIT' },
  },
  {
    kind: 42,
    name: 'shared parts that double as arguments of a tool',
    code: 'let a = ["x".repeat(100)]; for (let n = 0; n < 30; n++) a = [a, a]; return await tool(a)',
    tools: { tool: (): number => 1 },
    expected: { endsIn: ['TOOL_DATA_LIMIT', 'GUEST_ERROR'] },
  },
  {
    kind: 42,
    name: 'shared texts that add up',
    code: 'const text = "x".repeat(1e5); return Array(100).fill(text)',
    expected: { error: 'RESULT_LIMIT' },
  },
  ...[
    ['arrays', 'let a = []; for (let n = 0; n < 100000; n++) a = [a]; return a'],
    ['objects', 'let a = {}; for (let n = 0; n < 100000; n++) a = { a }; return a'],
    [
      'maps',
      'let a = new Map(); for (let n = 0; n < 100000; n++) a = new Map([["a", a]]); return a',
    ],
    ['sets', 'let a = new Set(); for (let n = 0; n < 100000; n++) a = new Set([a]); return a'],
    [
      'keys of maps',
      'let a = new Map(); for (let n = 0; n < 100000; n++) a = new Map([[a, 1]]); return a',
    ],
    [
      'causes',
      'let a; for (let n = 0; n < 100000; n++) { a = new Error("x", { cause: a }); delete a.stack } return a',
    ],
    [
      'getters',
      'let a = {}; for (let n = 0; n < 50000; n++) { const b = a; a = { get a() { return b; } }; } return a',
    ],
  ].map(([name, code]) => ({
    kind: 42 as const,
    name: `${name} in each other, a hundred thousand deep`,
    code: code ?? '',
    limits: { memoryMb: 128 },
    expected: { error: 'RESULT_LIMIT' } as const,
  })),
  {
    kind: 42,
    name: 'the same in arguments, in a log and in a thrown value',
    code: `
      let a = []; for (let n = 0; n < 100000; n++) a = [a];
      console.log(a);
      const told = await tool(a).catch((error) => error.code);
      throw Object.assign(new Error(String(told)), { cause: a })`,
    tools: { tool: (): number => 1 },
    expected: { error: 'GUEST_ERROR', message: 'LIMIT' },
  },
  {
    kind: 42,
    name: 'as deep as is allowed still comes out',
    code: 'let a = []; for (let n = 0; n < 490; n++) a = [a]; return a',
    expected: { value: expect.any(Array) },
  },
  {
    kind: 42,
    name: 'as deep as is allowed, near the end of the stack',
    code: `
      let a = []; for (let n = 0; n < 490; n++) a = [a];
      const dive = async (n) => { try { return dive(n + 1); } catch { return a; } };
      return dive(0)`,
    limits: { wallMs: 5000 },
    expected: { endsIn: ['value', 'GUEST_ERROR', 'WALL_LIMIT'] },
  },
  {
    kind: 42,
    name: 'JSON.parse of what is deep',
    code: 'return JSON.parse("[".repeat(1e5) + "]".repeat(1e5))',
    expected: { endsIn: ['RESULT_LIMIT', 'GUEST_ERROR'] },
  },
  {
    kind: 42,
    name: 'a cycle of a log line',
    code: 'const o = { a: [] }; o.a.push(o, o); console.log(o); return 1',
    expected: { value: 1 },
  },
]);
