import { attacks } from './support/attack.ts';

/** Sources that end the function that they are put into, and go on outside of it, without tools. */
const BREAKOUTS: readonly [name: string, code: string][] = [
  ['close the function and call it', 'return 1 })(); globalThis.pwn = 1; (async () => { return 2'],
  ['close an async function', 'return 1 }); globalThis.pwn = 1; (async function () { return 2'],
  ['a comment that ends a line early', '// \u2028}); globalThis.pwn = 1; (async function () {'],
  [
    'a breakout that lies about the text of functions',
    '}); Function.prototype.toString = () => "(async function(){"; (async function () {',
  ],
  ['a breakout that throws', '}); throw new Error("x"); (async function () {'],
  [
    'a breakout that throws what has a getter',
    '}); throw { get message() { for (;;); } }; (() => {',
  ],
  ['a breakout that hides eval', '}); globalThis.eval = () => () => 1; (async function () {'],
];

/** Sources that try to, or are no function body for another reason: none of them compiles. */
const UNREADABLE: readonly [name: string, code: string][] = [
  ['close a block', '} globalThis.pwn = 1; {'],
  ['close everything', '}}}))); globalThis.pwn = 1; ((({{{'],
  ['an open template', 'return `'],
  ['an open comment', 'return 1 /*'],
  ['an open comment behind a breakout', '}) /*'],
  ['a hashbang', '#!/usr/bin/env node\nreturn 1'],
  ['an HTML comment that closes', '}); globalThis.pwn = 1 //\n--> (async function () {'],
  ['a parameter that closes', ') { globalThis.pwn = 1 } async function x('],
  ['super', 'return super.toString()'],
  ['import.meta', 'return import.meta.url'],
  ['a static import', 'import fs from "node:fs"; return 1'],
  ['an export', 'export default 1'],
  ['with', 'with ({}) { return 1 }'],
  ['an octal literal', 'return 017'],
  ['a yield', 'yield 1'],
  ['an escaped keyword', 'v\\u0061r await = 1'],
  ['an enum', 'enum A { B = (globalThis.pwn = 1) } return A.B'],
  ['an unterminated string', 'return "'],
  ['an unterminated pattern', 'return /'],
  ['a lone surrogate as a name', 'return \uD800'],
  ['a zero byte', 'return 1\u0000}'],
];

/** Sources that are odd, and right. */
const RIGHT: readonly [name: string, code: string, value: unknown][] = [
  ['a trailing line comment', 'return 1 //', 1],
  ['a trailing HTML comment', 'return 1 <!-- and more', 1],
  ['a comment on its own', '// nothing', undefined],
  ['nothing', '', undefined],
  ['a directive', '"use strict"; "use asm"; return 1', 1],
  ['braces in strings', 'return "}})()" + `${"}"}` + /}/.source', '}})()}}'],
  ['a source of line ends', '\r\n\u2028\u2029return 1\r', 1],
  ['a byte order mark', '\uFEFFreturn 1', 1],
  ['a script tag', 'return "</script><!--"', '</script><!--'],
  [
    'new syntax',
    'using a = null; const { promise } = Promise.withResolvers(); return [1, 2].at(-1) ?? promise',
    2,
  ],
  ['a debugger statement', 'debugger; return 1', 1],
  [
    'a nested function that looks like ours',
    'return await (async function(){"use strict"; return 3 })()',
    3,
  ],
  [
    'a class with private names and a static block',
    'class A { static #a; static { A.#a = 4 } static get() { return A.#a } } return A.get()',
    4,
  ],
  ['a label named like a keyword', 'async: for (;;) break async; return 5', 5],
];

attacks('code that closes its wrapper', {}, [
  ...BREAKOUTS.map(([name, code]) => ({
    kind: 46 as const,
    name: `${name} is refused, and not said to have done nothing`,
    code,
    expected: { error: 'SYNTAX_ERROR', ran: 'yes' } as const,
  })),
  ...UNREADABLE.map(([name, code]) => ({
    kind: 46 as const,
    name: `${name} does not compile`,
    code,
    expected: { error: 'SYNTAX_ERROR', ran: 'no' } as const,
  })),
  ...RIGHT.map(([name, code, value]) => ({
    kind: [16, 46] as const,
    name: `${name} is run as it stands`,
    code,
    expected: { value },
  })),
  {
    kind: 46,
    name: 'none of them has left anything',
    code: 'return typeof pwn',
    expected: { value: 'undefined' },
  },
  {
    kind: 46,
    name: 'a breakout that loops has its time and no more',
    code: '}); for (;;); (async function () {',
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 46,
    name: 'a breakout that calls tools and timers',
    code: '}); setTimeout(() => tools.tool(), 0); (async function () {',
    tools: { tool: (): number => 1 },
    expected: { error: 'SYNTAX_ERROR', ran: 'yes' },
  },
  {
    kind: 46,
    name: 'a breakout in TypeScript',
    code: 'const a: number = 1; }); globalThis.pwn = 1; (async function () { return a as number',
    language: 'typescript',
    expected: { error: 'SYNTAX_ERROR', ran: 'no' },
  },
  {
    kind: 46,
    name: 'a breakout that compiles only once its types are gone',
    code: 'return 1 as any }); globalThis.pwn = 1; (async function (): Promise<void> {',
    expected: { error: 'SYNTAX_ERROR', ran: 'no' },
  },
  {
    kind: 46,
    name: 'types that hide braces',
    code: 'const a = <T extends { "})": 1 }>(b: T): b is T & { c: "}" } => true; return a({ "})": 1 })',
    expected: { value: true },
  },
  {
    kind: [16, 46],
    name: 'a function that is made of text cannot be left either',
    code: `
      const caught = [];
      for (const parts of [['a) { globalThis.pwn = 1 } function x(', ''], ['', '}); globalThis.pwn = 1; (function () {'], ['/*', '*/) {']])
        try { new Function(...parts); caught.push('made'); } catch (error) { caught.push(error.name); }
      return [caught, typeof pwn]`,
    expected: { value: [['SyntaxError', 'SyntaxError', 'SyntaxError'], 'undefined'] },
  },
  {
    kind: 16,
    name: 'errors in eval, using and catch parameters are those of the language',
    code: `
      const seen = [];
      try { (0, eval)('let a; let a'); } catch ({ name }) { seen.push(name); }
      try { { using it = { [Symbol.dispose]() { throw new Error('second'); } }; throw new Error('first'); } }
      catch (error) { seen.push(error.constructor === SuppressedError, error.error.message, error.suppressed.message); }
      return seen`,
    expected: { value: ['SyntaxError', true, 'second', 'first'] },
  },
]);
