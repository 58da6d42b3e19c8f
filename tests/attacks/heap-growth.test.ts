import { attacks } from './support/attack.ts';

const UNBOUNDED =
  'The heap limit does not bound it in time, so it could take the whole process with it.';

/** Every pattern of allocation that was ever seen to get past a heap limit. */
const BOMBS: readonly [name: string, code: string, survives?: true][] = [
  ['a Map', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, i)'],
  ['a Map of objects', 'const m = new Map(); for (;;) m.set({}, {})'],
  ['a Set', 'const s = new Set(); for (let i = 0; ; i++) s.add(i)'],
  ['a Set of texts', 'const s = new Set(); for (let i = 0; ; i++) s.add("text" + i)'],
  ['an object as dictionary', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = i'],
  ['an object with indices far apart', 'const o = {}; for (let i = 0; ; i += 1000) o[i] = i'],
  [
    'a WeakMap',
    'const w = new WeakMap(); const keys = []; for (;;) { const k = {}; keys.push(k); w.set(k, {}); }',
  ],
  [
    'a WeakSet',
    'const w = new WeakSet(); const keys = []; for (;;) { const k = {}; keys.push(k); w.add(k); }',
  ],
  ['Array.from of a large length', 'Array.from({ length: 1e8 }, (_, n) => ({ n }))'],
  [
    'Object.groupBy',
    'Object.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: {} }) }) }, (_, n) => "k" + n)',
  ],
  [
    'Map.groupBy',
    'Map.groupBy({ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: {} }) }) }, (_, n) => n)',
  ],
  ['closures over arrays', 'const a = []; for (;;) { const x = new Array(100); a.push(() => x); }'],
  ['concat with itself', 'let a = [1, 2, 3, 4]; for (;;) a = a.concat(a)'],
  ['push of objects', 'const a = []; for (;;) a.push({ a: [1, 2, 3] })', true],
  ['push of arrays', 'const a = []; for (;;) a.push(new Array(1000))'],
  ['filled arrays', 'const a = []; for (;;) a.push(new Array(1e5).fill(1.5))'],
  ['spread', 'let a = [1, 2, 3, 4]; for (;;) a = [...a, ...a]'],
  [
    'texts that grow',
    'const a = []; for (let n = 0; ; n++) a.push(("t" + n).repeat(1000).split(""))',
  ],
  [
    'flattened texts',
    'const a = []; for (let n = 0; ; n++) { const t = ("t" + n).repeat(10000); t.charCodeAt(5); a.push(new RegExp(t.slice(0, 5) + n), t + n, (t + n).indexOf("x")); }',
  ],
  ['symbols', 'const a = []; for (let n = 0; ; n++) a.push(Symbol("s" + n))'],
  ['registered symbols', 'for (let n = 0; ; n++) Symbol.for("s" + n)'],
  ['BigInts', 'const a = []; for (let n = 0n; ; n++) a.push(2n ** 20000n + n)'],
  ['promises', 'const a = []; for (;;) a.push(new Promise(() => {}))'],
  [
    'functions made of text',
    'const a = []; for (let n = 0; ; n++) a.push(new Function(`return ${n}`))',
  ],
  ['classes', 'const a = []; for (;;) a.push(class { a = 1; b() {} })'],
  [
    'generators',
    'function* g() { yield 1; } const a = []; for (;;) { const i = g(); i.next(); a.push(i); }',
  ],
  [
    'dates and patterns',
    'const a = []; for (let n = 0; ; n++) a.push(new Date(n), new RegExp("a" + n))',
  ],
  ['errors with stacks', 'const a = []; for (;;) a.push(new Error("x").stack + a.length)'],
  ['proxies', 'let p = {}; const a = []; for (;;) a.push(p = new Proxy(p, {}))'],
  ['a linked list', 'let head = null; for (;;) head = { head, a: [1] }'],
  [
    'a bomb of JSON.parse',
    'const t = "[" + "[],".repeat(1e6) + "[]]"; const a = []; for (;;) a.push(JSON.parse(t))',
  ],
  [
    'results of patterns',
    'const t = "a".repeat(1e6); const a = []; for (;;) a.push(t.match(/a/g))',
  ],
  [
    'split',
    'const t = "ab".repeat(1e6); const a = []; for (let n = 0; ; n++) a.push((t + n).split("a"))',
  ],
  ['structuredClone', 'let a = [[1]]; for (;;) a = [a, structuredClone(a)]'],
  ['bound functions', 'let f = () => 1; const a = []; for (;;) a.push(f.bind(null, {}))'],
  ['timers', 'for (;;) setTimeout(() => 1, 1e6, new Array(1000))'],
  ['an array of microtasks', 'for (;;) Promise.resolve(new Array(100)).then((x) => x)'],
  ['Intl objects', 'const a = []; for (;;) a.push(new Intl.NumberFormat("de"))'],
];

const OUTSIDE: readonly [name: string, code: string][] = [
  [
    'a resizable ArrayBuffer',
    'const b = new ArrayBuffer(0, { maxByteLength: 1e9 }); for (let n = 1; ; n++) { b.resize(n * 1e6); new Uint8Array(b).fill(1); }',
  ],
  [
    'many resizable ArrayBuffers',
    'const a = []; for (;;) { const b = new ArrayBuffer(0, { maxByteLength: 1e8 }); b.resize(1e7); new Uint8Array(b).fill(1); a.push(b); }',
  ],
  ['ArrayBuffers', 'const a = []; for (;;) a.push(new Uint8Array(2 ** 20).fill(1))'],
  ['one ArrayBuffer', 'new Uint8Array(2 ** 31).fill(1); for (;;);'],
  [
    'base64 of bytes',
    'const b = new Uint8Array(1e6); const a = []; for (let n = 0; ; n++) { b[0] = n; a.push(b.toBase64()); }',
  ],
  [
    'transferred memory',
    'const a = []; for (;;) a.push(new Uint8Array(2 ** 20).fill(1).buffer.transfer())',
  ],
  ['repeat', 'const a = []; for (let n = 0; ; n++) a.push(("x" + n).repeat(5e7).toUpperCase())'],
  ['one JSON text', 'JSON.parse("[".repeat(1e7)); for (;;);'],
  [
    'joined arrays',
    'const a = []; for (let n = 0; ; n++) a.push(new Array(1e6).fill("text" + n).join(""))',
  ],
];

attacks('a heap that grows', { limits: { memoryMb: 16 }, atOnce: 3 }, [
  ...BOMBS.map(([name, code, survives]) => ({
    kind: [53, 55] as const,
    name,
    code,
    ...(survives === undefined && { notInThreads: UNBOUNDED }),
    expected: { error: 'MEMORY_LIMIT', ran: 'yes' } as const,
  })),
  ...OUTSIDE.map(([name, code]) => ({
    kind: [54, 55] as const,
    name,
    code,
    notInThreads: UNBOUNDED,
    // V8 refuses the memory with a RangeError, or a wall of ours ends it.
    expected: { endsIn: ['MEMORY_LIMIT', 'GUEST_ERROR'] as const },
  })),
]);
