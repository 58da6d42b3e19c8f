import { attacks } from './support/attack.ts';

const TRAPS = [
  'get',
  'has',
  'ownKeys',
  'getOwnPropertyDescriptor',
  'getPrototypeOf',
  'isExtensible',
];

/** A proxy never gives anything but data read once, a refusal, or the failure of its own trap. */
const ENDS = ['value', 'GUEST_ERROR', 'UNSERIALIZABLE_RESULT'] as const;

attacks('proxies as results', { atOnce: 3 }, [
  ...TRAPS.filter((trap) => trap !== 'has' && trap !== 'isExtensible').map((trap) => ({
    kind: 41 as const,
    name: `a ${trap} trap that loops`,
    code: `return new Proxy({ a: 1 }, { ${trap}() { for (;;); } })`,
    limits: { wallMs: 200 },
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const,
  })),
  ...TRAPS.map((trap) => ({
    kind: 41 as const,
    name: `a ${trap} trap that throws`,
    code: `return new Proxy({ a: 1 }, { ${trap}() { throw new RangeError('trap'); } })`,
    expected: { endsIn: ENDS },
  })),
  ...[
    [
      'a revoked proxy',
      'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy',
    ],
    [
      'a revoked proxy of an array',
      'const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return [proxy]',
    ],
    ['a proxy of a Map', 'return new Proxy(new Map([[1, 2]]), {})'],
    ['a proxy of a Date', 'return new Proxy(new Date(0), {})'],
    ['a proxy of bytes', 'return new Proxy(new Uint8Array(3), {})'],
    ['a proxy of an error', 'return new Proxy(new Error("x"), {})'],
    ['a proxy of a function', 'return new Proxy(() => 1, {})'],
    [
      'a proxy that is its own prototype',
      'const p = new Proxy({}, { getPrototypeOf: () => p }); return p',
    ],
    [
      'a chain of prototypes without an end',
      'const make = () => new Proxy({}, { getPrototypeOf: make }); return make()',
    ],
    [
      'an error with a chain of prototypes without an end',
      'const make = () => new Proxy({}, { getPrototypeOf: make }); return Object.setPrototypeOf(new Error("x"), make())',
    ],
    [
      'a proxy that says it is a tuple or a date',
      'return new Proxy({}, { get: (_, key) => key === Symbol.toStringTag ? "Date" : 1, getPrototypeOf: () => Date.prototype })',
    ],
    [
      'ten thousand proxies of each other',
      'let p = { a: 1 }; for (let n = 0; n < 10000; n++) p = new Proxy(p, {}); return p',
    ],
  ].map(([name, code]) => ({
    kind: 41 as const,
    name: name ?? '',
    code: code ?? '',
    expected: { endsIn: ENDS },
  })),
  {
    kind: 41,
    name: 'a proxy that lies about its length',
    code: 'return new Proxy([], { get: (list, key) => key === "length" ? 2 ** 32 - 1 : list[key] })',
    expected: { endsIn: ['RESULT_LIMIT', 'UNSERIALIZABLE_RESULT', 'GUEST_ERROR'] },
  },
  {
    kind: 41,
    name: 'a proxy that claims fifty thousand keys',
    code: 'return new Proxy({}, { ownKeys: () => Array.from({ length: 5e4 }, (_, n) => "k" + n), getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: () => 1 })',
    limits: { resultBytes: 400_000 },
    expected: { endsIn: ['RESULT_LIMIT', 'UNSERIALIZABLE_RESULT'] },
  },
  {
    kind: 41,
    name: 'a proxy that gives a new proxy for every key',
    code: 'const make = () => new Proxy({}, { ownKeys: () => ["a", "b"], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }), get: make }); return make()',
    expected: { endsIn: ['RESULT_LIMIT', 'UNSERIALIZABLE_RESULT'] },
  },
  {
    kind: 41,
    name: 'a proxy without tricks is data or refused, never half of it',
    code: 'return [new Proxy({ a: 1 }, {}), new Proxy([1, 2], {})]',
    expected: { value: [{ a: 1 }, [1, 2]] },
  },
  {
    kind: 41,
    name: 'a proxy as argument, and as log',
    code: 'console.log(new Proxy({ a: 1 }, { get() { for (;;); } })); return await tool(new Proxy({ a: 1 }, {}))',
    tools: { tool: (input: unknown) => input },
    expected: { value: { a: 1 } },
  },
]);
