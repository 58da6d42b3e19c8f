import { attacks } from './support/attack.ts';

/** Says what a maker of functions can see of Node. */
const LOOK =
  "'return [typeof process, typeof require, typeof module, typeof Buffer, typeof fetch].join()'";
const NOTHING = 'undefined,undefined,undefined,undefined,undefined';

const through = (expression: string): string =>
  `return (${expression}).constructor.constructor(${LOOK})()`;

const ROADS: readonly [name: string, expression: string][] = [
  ['an object', '({})'],
  ['a number', '1'],
  ['a promise', 'Promise.resolve()'],
  ['the promise of an async function', '(async () => {})()'],
  ['the promise of a tool call', 'tool()'],
  ['the result of a tool call', 'await tool()'],
  ['an error of a tool call', 'await fails().catch((error) => error)'],
  ['details of an error of a tool call', '(await fails().catch((error) => error)).details'],
  ['a variable', 'given'],
  ['a tuple', 'pair'],
  ['an element of a variable', 'given.when'],
  ['a tool', 'tool'],
  ['the tools', 'Object.entries(tools)[0]'],
  ['console', 'console'],
  ['a method of console', 'console.log'],
  ['setTimeout', 'setTimeout'],
  ['performance', 'performance'],
  ['a text encoder', 'new TextEncoder()'],
  ['encoded bytes', 'new TextEncoder().encode("a")'],
  ['structuredClone', 'structuredClone({})'],
  [
    'a stack overflow',
    '(() => { try { (function f() { f(); })(); } catch (error) { return error; } })()',
  ],
  ['a syntax error', '(() => { try { new Function("("); } catch (error) { return error; } })()'],
  [
    'an error of the global eval',
    '(() => { try { (0, eval)("("); } catch (error) { return error; } })()',
  ],
  ['a generator', '(function* () {})'],
  ['an async generator', '(async function* () {})'],
  ['what import rejects with', 'await import("x").catch((error) => error)'],
];

const tools = {
  tool: (): object => ({ a: [1] }),
  fails: (): never => {
    throw Object.assign(new TypeError('no'), { details: { a: [1] } });
  },
};

attacks('realm walks', {}, [
  ...ROADS.map(([name, expression]) => ({
    kind: 1 as const,
    name: `the constructor of ${name} sees nothing of the host`,
    code: through(expression),
    variables: { given: { when: new Date(0) }, pair: [1, 2] },
    tools,
    expected: { value: NOTHING },
  })),
  {
    kind: 1,
    name: 'no constructor that can be reached is of another realm',
    code: `
      const foreign = [];
      for (const value of [tool, await tool(), given, given.when, await fails().catch((e) => e), console.log, performance])
        for (let at = value; at !== null; at = Object.getPrototypeOf(at))
          if (at.constructor.constructor !== Function) foreign.push(String(at.constructor));
      return foreign`,
    variables: { given: { when: new Date(0) } },
    tools,
    expected: { value: [] },
  },
  {
    kind: 5,
    name: 'arguments.callee.caller and fn.caller lead nowhere',
    code: `
      const seen = [];
      const sloppy = new Function('seen', \`
        try { seen.push(arguments.callee.caller); } catch (error) { seen.push(error.name); }
        const f = function () { return f.caller; };
        try { seen.push(f()?.name); } catch (error) { seen.push(error.name); }\`);
      sloppy(seen);
      await new Promise((resolve) => setTimeout(() => { sloppy(seen); resolve(); }, 1));
      await { then(resolve) { sloppy(seen); resolve(); } };
      return seen`,
    expected: { value: [null, 'anonymous', null, 'anonymous', null, 'anonymous'] },
  },
  {
    kind: 5,
    name: 'the runtime cannot be read through the functions that it lends',
    code: `
      const lent = [tool, console.log, setTimeout, clearTimeout, structuredClone, atob, performance.now];
      return lent.flatMap((f) => ['caller', 'arguments'].map((key) => {
        try { return f[key] === null || f[key] === undefined; } catch (error) { return error.name; }
      })).filter((seen) => seen !== true && seen !== 'TypeError')`,
    tools,
    expected: { value: [] },
  },
  {
    kind: 6,
    name: 'no lent function gives back its this',
    code: `
      const lent = [tool, console.log, console.group, setTimeout, clearTimeout, performance.now, atob, btoa];
      const got = lent.flatMap((f) => [undefined, null, globalThis].map((self) => {
        try { return Reflect.apply(f, self, []); } catch { return undefined; }
      }));
      return got.filter((value) => value === globalThis).length`,
    tools,
    expected: { value: 0 },
  },
  {
    kind: 6,
    name: 'a sloppy function gets the global object of the guest, and no more',
    code: `
      const global = new Function('return this')();
      return [global === globalThis, typeof global.process, Object.keys(global)]`,
    expected: { value: [true, 'undefined', []] },
  },
  {
    kind: 12,
    name: 'a replaced then does not see promises of the runtime',
    code: `
      const seen = [];
      const then = Promise.prototype.then;
      Promise.prototype.then = function (...args) { seen.push(typeof args[0]); return then.apply(this, args); };
      await tool();
      await (async () => {})();
      return seen`,
    tools,
    expected: { value: [] },
  },
  {
    kind: 12,
    name: 'an async generator that returns a hostile thenable',
    code: `
      const seen = [];
      async function* inner() { try { yield 1; } finally { yield 2; } }
      async function* outer() { yield* inner(); }
      const it = outer();
      await it.next();
      await it.return({ then(resolve, reject) {
        seen.push(resolve.constructor(${LOOK})(), reject.constructor === Function);
        resolve(3);
      } });
      return seen`,
    expected: { value: [NOTHING, true] },
  },
  {
    kind: 13,
    name: '__proto__ setters by Reflect, call and accessors',
    code: `
      const { set } = Object.getOwnPropertyDescriptor(Object.prototype, '__proto__');
      const evil = { polluted: 1 };
      const targets = [await tool(), given, given.when, tool, tools, console, await fails().catch((e) => e)];
      for (const target of targets) {
        try { set.call(target, evil); } catch {}
        try { Reflect.apply(set, target, [evil]); } catch {}
        try { target.__lookupSetter__('__proto__').call(target, evil); } catch {}
        try { Object.setPrototypeOf(Object.getPrototypeOf(target), evil); } catch {}
      }
      return typeof polluted`,
    variables: { given: { when: new Date(0) } },
    tools,
    // Its own objects are its own matter; those of the host are looked at after every attack.
    expected: { value: 'undefined' },
  },
]);
