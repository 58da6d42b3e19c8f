import { attacks } from './support/attack.ts';

const LOOPS: readonly [name: string, code: string][] = [
  ['while (true)', 'while (true);'],
  ['for (;;) that makes garbage', 'for (let n = 0; ; n++) ({ n, text: "t" + n });'],
  ['endless microtasks by await', 'for (;;) await null'],
  [
    'endless microtasks by then',
    'const again = () => Promise.resolve().then(again); await again()',
  ],
  [
    'microtasks that nobody awaits',
    'const again = () => { Promise.resolve().then(again); }; again(); await new Promise(() => {})',
  ],
  ['a loop in a thenable', 'await { then() { for (;;); } }'],
  ['a loop in the result as thenable', 'return { then() { for (;;); } }'],
  ['a loop in a then getter', 'return { get then() { for (;;); } }'],
  ['a loop in a timer', 'setTimeout(() => { for (;;); }, 1); await new Promise(() => {})'],
  ['an interval that never ends', 'setInterval(() => {}, 1); await new Promise(() => {})'],
  ['a generator without an end', 'function* all() { for (;;) yield 1; } for (const one of all());'],
  [
    'an async generator without an end',
    'async function* all() { for (;;) yield 1; } for await (const one of all());',
  ],
  [
    'an iterator that is never done',
    '[...{ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }].length; for (;;);'
      .replace('[...', 'for (const _ of ')
      .replace('].length; for (;;);', ');'),
  ],
  [
    'an iterator helper without an end',
    'Iterator.from({ next: () => ({ done: false }) }).forEach(() => {})',
  ],
  [
    'a Proxy trap that loops',
    'new Proxy({}, { has() { for (;;); } }).a; "a" in new Proxy({}, { has() { for (;;); } })',
  ],
  ['a getter that loops', '({ get a() { for (;;); } }).a'],
  ['a valueOf that loops', '+{ valueOf() { for (;;); } }'],
  ['a comparator that loops', '[2, 1].sort(() => { for (;;); })'],
  ['a replacer that loops', '"a".replace("a", () => { for (;;); })'],
  ['a reviver that loops', 'JSON.parse("1", () => { for (;;); })'],
  ['a loop in a static block', 'class A { static { for (;;); } }'],
  ['a loop in a default argument', '((a = (() => { for (;;); })()) => a)()'],
  ['a loop in a tagged template', '((parts) => { for (;;); })`a`'],
  ['a loop in a disposal', '{ using it = { [Symbol.dispose]() { for (;;); } }; }'],
  ['a loop in eval', '(0, eval)("for (;;);")'],
  ['a loop in new Function', 'new Function("for (;;);")()'],
  [
    'two loops that call each other by promises',
    'const a = async () => { await 0; return b(); }; const b = async () => { await 0; return a(); }; await a()'
      .replaceAll('return b()', 'void b()')
      .replaceAll('return a()', 'void a()') + '; await new Promise(() => {})',
  ],
  [
    'Array.fromAsync over an endless source',
    'await Array.fromAsync({ async *[Symbol.asyncIterator]() { for (;;) yield; } }, () => { throw 0 }).catch(() => {}); for (;;);',
  ],
];

attacks(
  'endless loops',
  { limits: { wallMs: 200 }, atOnce: 3 },
  LOOPS.map(([name, code]) => ({
    kind: 23,
    name,
    code,
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' },
  })),
);
