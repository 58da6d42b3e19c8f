import { attacks } from './support/attack.ts';

const PROGRAMS: readonly [name: string, code: string][] = [
  ['a loop behind one call', 'await quick(); for (;;);'],
  ['a loop in then', 'await quick().then(() => { for (;;); })'],
  ['a loop behind a call that failed', 'try { await fails() } catch { for (;;); }'],
  ['a loop in finally of a call', 'await fails().finally(() => { for (;;); })'],
  ['a loop behind many calls', 'for (let n = 0; n < 50; n++) await quick(); for (;;);'],
  ['a loop when all calls are back', 'await Promise.all([quick(), quick(), quick()]); for (;;);'],
  ['endless calls to the end of time', 'for (;;) await slow()'],
  [
    'a loop behind a timer behind a call',
    'await quick(); await new Promise((r) => setTimeout(r, 5)); for (;;);',
  ],
  [
    'a hostile then for what a tool gives',
    'Object.prototype.then = () => { for (;;); }; await give()',
  ],
  [
    'a setter of the prototype for what a tool gives',
    'Object.defineProperty(Object.prototype, "then", { get() { for (;;); } }); await give()',
  ],
  [
    'a loop in the constructor of a replaced Promise',
    'globalThis.Promise = class { constructor() { for (;;); } }; await quick(); new Promise()',
  ],
  [
    'a loop in the name of an error that a tool gave',
    'Object.defineProperty(Error.prototype, "name", { get() { for (;;); } }); await fails().catch((e) => Error.prototype.toString.call(Object.create(Error.prototype)))',
  ],
];

attacks(
  'loops behind a tool call',
  { limits: { wallMs: 200, toolCalls: 10_000 }, atOnce: 3 },
  PROGRAMS.map(([name, code]) => ({
    kind: 25,
    name,
    code,
    tools: {
      quick: () => 1,
      slow: () =>
        new Promise((resolve) => {
          setTimeout(resolve, 3);
        }),
      give: () => ({ a: 1 }),
      fails: () => {
        throw new Error('no');
      },
    },
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' },
  })),
);
