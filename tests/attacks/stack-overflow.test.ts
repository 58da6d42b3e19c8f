import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const RECURSIONS: readonly [name: string, code: string][] = [
  ['a function', 'const f = () => f() + 1; f()'],
  ['two functions', 'const f = () => g() + 1; const g = () => f() + 1; f()'],
  ['a getter', 'const o = { get a() { return this.a + 1; } }; o.a'],
  ['toString', 'const o = { toString() { return `${this}`; } }; String(o)'],
  ['a proxy', 'const p = new Proxy({}, { get: (_, k) => p[k] + 1 }); p.a'],
  ['a chain of proxies', 'let p = {}; for (let n = 0; n < 100000; n++) p = new Proxy(p, {}); p.a'],
  ['JSON.stringify', 'const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o)'],
  ['a replacer', 'const f = (t) => t.replace(/a/, f); f("a")'],
  ['a comparator', 'const f = () => [1, 2].sort(f); f()'],
  ['a constructor', 'class A { constructor() { new A(); } } new A()'],
  ['spread arguments', 'const f = (...a) => f(...a, 1); f()'],
  [
    'apply of too much',
    'Math.max.apply(null, new Array(1e6).fill(1)); const f = () => f() + 1; f()',
  ],
  ['a deep array to text', 'let a = []; for (let n = 0; n < 5e4; n++) a = [a]; String(a)'],
  ['flat without an end', 'const a = []; a.push(a); a.flat(Infinity)'],
];

const PARSERS: readonly [name: string, source: string][] = [
  ['parentheses', '"(".repeat(2e5)'],
  ['closed parentheses', '"(".repeat(1e5) + "1" + ")".repeat(1e5)'],
  ['brackets', '"[".repeat(1e5) + "]".repeat(1e5)'],
  ['blocks', '"{".repeat(1e5) + "}".repeat(1e5)'],
  ['templates', '"`${".repeat(5e4) + "1" + "}`".repeat(5e4)'],
  ['classes', '"class A { a = ".repeat(2e4) + "1" + "}".repeat(2e4)'],
  ['arrow functions', '"a => ".repeat(1e5) + "1"'],
  ['a long sum', 'Array(1e5).fill("1").join("+")'],
  ['a long chain of members', '"a" + ".a".repeat(1e5)'],
  ['unary operators', '"!".repeat(1e5) + "1"'],
  ['labels', 'Array.from({ length: 1e4 }, (_, n) => "l" + n + ":").join("") + "1"'],
  ['nested ternaries', '"1?".repeat(5e4) + "1" + ":1".repeat(5e4)'],
];

const PATTERNS: readonly [name: string, source: string][] = [
  ['open groups', '"(".repeat(5e4)'],
  ['closed groups', '"(".repeat(5e4) + ")".repeat(5e4)'],
  ['lookaheads', '"(?=".repeat(2e4) + ")".repeat(2e4)'],
  ['repeats of repeats', '"(a{1,100}){1,100}".repeat(5)'],
  ['large counts', '"a{65535}".repeat(50)'],
  ['alternatives', '"a|".repeat(2e4)'],
];

const overflow = { error: 'GUEST_ERROR', name: 'RangeError' } as const;
const text = (name: string, how: string, source: string): string => `
  const source = ${source};
  try { ${how}; return 'done'; } catch (error) { return /^(?:RangeError|SyntaxError|ReferenceError)$/.test(error.name) ? 'error' : String(error); }
  // ${name}`;

attacks('stacks that overflow', { limits: { memoryMb: 128 }, atOnce: 3 }, [
  ...RECURSIONS.map(([name, code]) => ({
    kind: 56 as const,
    name: `recursion by ${name}`,
    code,
    expected: overflow,
  })),
  {
    kind: 56,
    name: 'an overflow that is caught is no end',
    code: 'const f = () => { try { return f(); } catch { return "caught"; } }; return f()',
    expected: { value: 'caught' },
  },
  {
    kind: [10, 56],
    name: 'calls of the runtime near the end of the stack give nothing away',
    code: `
      const seen = new Set();
      const dive = () => {
        for (const call of [() => console.log({ a: 1 }), () => structuredClone({ a: [1] }), () => setTimeout(() => 1, 1e5), () => tool({ a: 1 }).catch(() => {}), () => btoa('a'), () => new TextEncoder().encode('a')])
          try { call(); } catch (error) { seen.add(error.name + (error.constructor.constructor('return typeof process')())); }
        try { dive(); } catch {}
      };
      const deep = (n) => { try { return deep(n + 1); } catch { for (const call of [() => console.log({ a: 1 }), () => structuredClone({ a: [1] }), () => tool({ a: 1 }).catch(() => {})]) try { call(); } catch (error) { seen.add(error.name); } return n; } };
      deep(0);
      return [...seen].filter((name) => !/^(RangeError|Error|TypeError)$/.test(name))`,
    tools: { tool: (): number => 1 },
    expected: { endsIn: ['value', 'TOOL_CALL_LIMIT'] },
  },
  ...PARSERS.map(([name, source]) => ({
    kind: 56 as const,
    name: `${name} for the parser of eval`,
    code: text(name, '(0, eval)(source)', source),
    expected: { endsIn: ['value'] as const },
  })),
  ...PATTERNS.map(([name, source]) => ({
    kind: 56 as const,
    name: `${name} for the parser of patterns`,
    code: text(name, 'new RegExp(source).test("aaaa")', source),
    expected: { endsIn: ['value'] as const },
  })),
  {
    kind: 56,
    name: 'nested JSON for the parser of JSON',
    code: text('', 'JSON.parse(source)', '"[".repeat(2e5) + "]".repeat(2e5)'),
    expected: { endsIn: ['value', 'MEMORY_LIMIT'] },
  },
  // The source itself, which the parsers of the host see before anything runs.
  ...[
    ['parentheses', `return ${'('.repeat(100_000)}`],
    ['closed parentheses', `return ${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    ['brackets', `return ${'['.repeat(100_000)}`],
    ['blocks', '{'.repeat(200_000)],
    ['types', `const a: ${'Array<'.repeat(30_000)}1${'>'.repeat(30_000)} = 1; return 1`],
    [
      'conditional types',
      `type A = ${'1 extends 1 ? '.repeat(10_000)}1${' : 1'.repeat(10_000)}; return 1`,
    ],
    ['arrow functions of types', `return ${'(a: 1) => '.repeat(20_000)}1`],
    ['templates', `return ${'`${'.repeat(50_000)}`],
    ['unary operators and a type', `return ${'!'.repeat(100_000)}(1 as any)`],
  ].map(([name, code]) => ({
    kind: [46, 56] as const,
    name: `${name}, many deep`,
    code: code ?? '',
    expected: { endsIn: ['SYNTAX_ERROR', 'GUEST_ERROR', 'value'] as const },
  })),
  {
    kind: 56,
    name: 'such a source does not spoil the parser of types for the runs after it',
    script: async ({ executor }) => {
      const good = { code: 'const a: number = 1; return a' };
      const bad = { code: `const a: ${'Array<'.repeat(30_000)}1${'>'.repeat(30_000)} = 1` };
      const outcomes = [];
      for (let count = 0; count < 3; count++) {
        outcomes.push(await executor.run(bad));
        // Enough for each host to get one.
        const next = await Promise.all(Array.from({ length: 8 }, () => executor.run(good)));
        for (const outcome of next) expect(outcome).toMatchObject({ ok: true, value: 1 });
        outcomes.push(...next);
      }
      return outcomes;
    },
  },
]);
