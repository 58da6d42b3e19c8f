import { attacks } from './support/attack.ts';

/** Programs that try to catch, or outlive, the end that they are given. */
const PROGRAMS: readonly [name: string, code: string][] = [
  ['catch around a loop', 'for (;;) { try { for (;;); } catch {} }'],
  ['finally around a loop', 'try { for (;;); } finally { for (;;); }'],
  ['a return in finally', 'try { for (;;); } finally { return 1 }'],
  ['finally in finally', 'try { try { for (;;); } finally { for (;;); } } finally { for (;;); }'],
  ['break out of finally', 'out: for (;;) { try { for (;;); } finally { continue out; } }'],
  [
    'a generator whose finally loops',
    'function* g() { try { for (;;) yield; } finally { for (;;); } } for (const _ of g()) break;',
  ],
  [
    'an iterator whose return loops',
    'for (const _ of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }) break;',
  ],
  [
    'an async generator whose finally loops',
    'async function* g() { try { yield 1; } finally { for (;;); } } for await (const _ of g()) break;',
  ],
  ['catch of a rejected await in a loop', 'for (;;) { try { await Promise.reject(1); } catch {} }'],
  [
    'a recursion that catches its own overflow',
    'const f = () => { try { f(); } finally { f(); } }; f()',
  ],
  [
    'a disposal that loops on the way out',
    '{ using it = { [Symbol.dispose]() { for (;;); } }; for (;;); }',
  ],
  [
    'a timer that is set in the catch',
    'const go = () => { try { for (;;); } finally { setTimeout(go, 1); } }; go()',
  ],
  [
    'a promise chain that restarts itself',
    'const go = () => Promise.resolve().then(() => { for (;;); }).finally(go); await go()',
  ],
  ['an event of a tool that is swallowed', 'for (;;) { try { await tool(); for (;;); } catch {} }'],
];

attacks('swallowing the end', { limits: { wallMs: 200 }, atOnce: 3 }, [
  ...PROGRAMS.map(([name, code]) => ({
    kind: 32 as const,
    name,
    code,
    tools: { tool: (): number => 1 },
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const,
  })),
  ...[
    [
      'a loop in a microtask',
      'Promise.resolve().then(() => Promise.resolve()).then(() => { for (;;); }); return "out"',
    ],
    ['a loop in a timer', 'setTimeout(() => { for (;;); }, 0); return "out"'],
    ['endless microtasks', '(async () => { for (;;) await 0; })(); return "out"'],
    ['a loop behind a tool that is not awaited', 'tool().then(() => { for (;;); }); return "out"'],
  ].map(([name, code]) => ({
    kind: [32, 66] as const,
    name: `${name} behind the result does not keep it`,
    code: code ?? '',
    tools: { tool: (): number => 1 },
    limits: { wallMs: 30_000 },
    expected: { value: 'out' },
  })),
]);
