import { attacks } from './support/attack.ts';

const UNSTOPPABLE = 'V8 does not interrupt it, so its thread would burn for good.';

/** They only take time, so the wall limit ends them. */
const SLOW: readonly [name: string, code: string][] = [
  [
    'fill of an object that says it is long',
    'Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0)',
  ],
  ['indexOf in a sparse array', 'const a = []; a[2 ** 31] = 1; a.indexOf(2)'],
  [
    'includes in an object that says it is long',
    'Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)',
  ],
  ['lastIndexOf in a sparse array', 'const a = []; a[2 ** 32 - 2] = 1; a.lastIndexOf(2)'],
  ['reverse of a sparse array', 'const a = []; a[2 ** 32 - 2] = 1; a.reverse()'],
  [
    'unshift of an object that says it is long',
    'Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1)',
  ],
  [
    'splice of an object that says it is long',
    'Array.prototype.splice.call({ length: 2 ** 53 - 2 }, 0, 1)',
  ],
  [
    'copyWithin of an object that says it is long',
    'Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)',
  ],
  [
    'forEach of an object that says it is long',
    'Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => {})',
  ],
  [
    'every of a sparse array',
    'const a = []; a.length = 2 ** 32 - 1; a.every(() => true); a.every(() => true)',
  ],
  [
    'find in an object that says it is long',
    'Array.prototype.find.call({ length: 2 ** 53 - 1 }, () => false)',
  ],
  [
    'a spread of an object that says it is long',
    'for (;;) Math.max.apply(null, { length: 100000 })',
  ],
];

/** They take memory as fast as the machine gives it, so the memory limit ends them. */
const GREEDY: readonly [name: string, code: string][] = [
  ['fill of a long array', 'new Array(2 ** 32 - 1).fill(0)'],
  ['Array.from of an object that says it is long', 'Array.from({ length: 2 ** 30 })'],
  ['keys of a long array', '[...new Array(2 ** 28).keys()]'],
  ['sort of a long array', 'new Array(2 ** 26).fill(0).map((_, n) => -n).sort()'],
];

attacks('builtins that V8 does not interrupt', { atOnce: 3 }, [
  ...SLOW.map(([name, code]) => ({
    kind: 30 as const,
    name,
    code,
    limits: { wallMs: 200 },
    notInThreads: UNSTOPPABLE,
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const,
  })),
  ...GREEDY.map(([name, code]) => ({
    kind: [30, 55] as const,
    name,
    code,
    limits: { memoryMb: 16 },
    notInThreads: UNSTOPPABLE,
    expected: { error: 'MEMORY_LIMIT', ran: 'yes' } as const,
  })),
  {
    kind: 30,
    name: 'join of an object that says it is long is refused by V8',
    code: 'Array.prototype.join.call({ length: 2 ** 53 - 1 }, "")',
    expected: { error: 'GUEST_ERROR', name: 'TypeError' },
  },
  {
    kind: 30,
    name: 'one behind a good result does not keep the result',
    code: `
      Promise.resolve().then(() => Promise.resolve()).then(() => Promise.resolve())
        .then(() => Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 0));
      return 'out'`,
    notInThreads: UNSTOPPABLE,
    expected: { value: 'out' },
  },
]);
