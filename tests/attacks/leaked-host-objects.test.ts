import { checkIsolatedVm, isSafeIsolatedVm } from '@glovebox/worker';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** Walks everything that can be reached and gathers what only isolated-vm has. */
const WALK = `
  const MARKS = ['applySync', 'applySyncPromise', 'applyIgnored', 'copySync', 'copyInto', 'derefInto',
    'setSync', 'getSync', 'deleteIgnored', 'createContextSync', 'compileScriptSync', 'isDisposed'];
  const NAMES = /^(?:\\[object )?(?:Reference|ExternalCopy|Isolate|Callback|Context|Script|Module|NativeModule)\\]?$/;
  function walk(roots) {
    const seen = new Set();
    const found = [];
    const queue = [...roots];
    while (queue.length > 0) {
      const value = queue.pop();
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
      seen.add(value);
      const name = typeof value === 'function' ? value.name : Object.prototype.toString.call(value);
      if (NAMES.test(name)) found.push(String(name));
      for (const key of Reflect.ownKeys(value)) {
        if (MARKS.includes(key)) found.push(String(key));
        const { value: held, get, set } = Reflect.getOwnPropertyDescriptor(value, key);
        queue.push(held, get, set);
      }
      queue.push(Reflect.getPrototypeOf(value));
    }
    return { found, walked: seen.size > 500 };
  }`;

const NOTHING = { found: [], walked: true };
const tools = {
  tool: (): object => ({ a: 1 }),
  fails: (): never => {
    throw Object.assign(new RangeError('no'), { details: { b: 2 } });
  },
};

attacks('objects of isolated-vm', {}, [
  {
    kind: 2,
    name: 'nothing of it hangs on the global object',
    code: `${WALK} return walk([globalThis])`,
    expected: { value: NOTHING },
  },
  {
    kind: 2,
    name: 'nor on tools, their promises, results and errors',
    code: `${WALK} return walk([globalThis, tool, tools, tool(), await tool(), await fails().catch((e) => e)])`,
    tools,
    expected: { value: NOTHING },
  },
  {
    kind: 2,
    name: 'nor on variables and what they are made of',
    code: `${WALK} return walk([globalThis, map, bytes, error])`,
    variables: {
      map: new Map([[{}, new Date(0)]]),
      bytes: Buffer.from('a'),
      error: new Error('e'),
    },
    expected: { value: NOTHING },
  },
  {
    kind: 2,
    name: 'nor on errors of every sort',
    code: `${WALK}
      const errors = [];
      for (const code of ['(', 'null.a', 'undeclared', 'let a; let a', 'new Array(-1)', 'decodeURI("%")'])
        try { (0, eval)(code); } catch (error) { errors.push(error); }
      try { (function f() { f(); })(); } catch (error) { errors.push(error); }
      errors.push(await import('a').catch((error) => error));
      return walk([globalThis, ...errors])`,
    expected: { value: NOTHING },
  },
  {
    kind: 2,
    name: 'nor on the arguments of anything that the runtime calls back',
    code: `${WALK}
      const roots = [];
      const note = function (...args) { roots.push(this, args, new.target); };
      setTimeout(note, 1);
      Promise.resolve().then(note);
      const thenable = { then(...args) { note.apply(this, args); args[0](); } };
      await thenable;
      new FinalizationRegistry(note);
      Error.prepareStackTrace = (error, sites) => { note(error, sites); return ''; };
      void new Error('x').stack;
      await new Promise((resolve) => setTimeout(resolve, 10));
      return walk([globalThis, ...roots])`,
    expected: { value: NOTHING },
  },
  {
    kind: 2,
    name: 'nor in what a replaced builtin is given while the runtime works',
    code: `${WALK}
      const roots = [];
      for (const [holder, names] of [[Function.prototype, ['call', 'apply', 'bind']], [Reflect, ['apply', 'ownKeys']],
        [Map.prototype, ['get', 'set', 'delete', 'forEach']], [Promise.prototype, ['then']], [JSON, ['parse', 'stringify']],
        [Array.prototype, ['push', Symbol.iterator]], [Object, ['defineProperty', 'freeze', 'keys']]]) {
        for (const name of names) {
          const old = holder[name];
          holder[name] = function (...args) { roots[roots.length] = [this, args]; return Reflect_apply(old, this, args); };
        }
      }
      await tool();
      await fails().catch((error) => error);
      console.log({ a: 1 }, [2]);
      await new Promise((resolve) => setTimeout(resolve, 1));
      const gathered = roots;
      return walk([globalThis, gathered])`.replace(
      'const roots = [];',
      'const roots = []; const Reflect_apply = Reflect.apply;',
    ),
    tools,
    expected: { value: NOTHING },
  },
  {
    kind: 15,
    name: 'no name of the harness is left on the global object, not even as a hidden one',
    code: `
      return Reflect.ownKeys(globalThis).map(String)
        .filter((name) => /glove|boot|ivm|harness|__|\\$[0-9]|send|bridge/i.test(name))`,
    expected: { value: [] },
  },
  {
    kind: 15,
    name: 'nor can it be reached by name, through eval, with or escapes',
    code: `
      const names = ['__gloveboxBoot', 'bootGuest', 'send', 'boot', '$0', '$1', 'serialize', 'deserialize', 'tools_', 'pending'];
      const found = [];
      for (const name of names) {
        for (const form of [name, name.replace(/[a-z]/i, (c) => '\\\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))])
          try { (0, eval)(form); found.push(form); } catch {}
        try { new Function('o', 'with (o) { return ' + name + ' }')({}); found.push('with ' + name); } catch {}
      }
      return found`,
    expected: { value: [] },
  },
  {
    kind: 15,
    name: 'the source of lent functions does not give the runtime away',
    code: `
      const lent = [tool, console.log, setTimeout, structuredClone, TextEncoder, atob];
      return lent.some((f) => /gloveboxBoot|ExternalCopy|applySync/.test(Function.prototype.toString.call(f)))`,
    tools,
    expected: { value: false },
  },
  {
    kind: 3,
    name: 'the versions with a known takeover are refused, and this one is not among them',
    script: () => {
      const bad = ['4.7.2', '5.0.4', '6.0.0', '6.1.2', '7.0.0'];
      const good = ['6.2.0', '6.2.1', '7.0.1', '7.1.0', '8.0.0'];
      expect(bad.filter(isSafeIsolatedVm)).toEqual([]);
      expect(good.filter((version) => !isSafeIsolatedVm(version))).toEqual([]);
      expect(isSafeIsolatedVm(checkIsolatedVm())).toBe(true);
      return Promise.resolve([]);
    },
  },
  {
    kind: 3,
    name: 'a stateful index getter has no transfer list to work on',
    code: `
      const trap = [];
      let reads = 0;
      Object.defineProperty(trap, 0, { get() { reads++; return new ArrayBuffer(8); }, enumerable: true });
      trap.length = 1;
      const clone = structuredClone({ a: 1 }, { transfer: trap });
      return [clone, reads, typeof ArrayBuffer.prototype.constructor.ExternalCopy]`,
    expected: { value: [{ a: 1 }, 0, 'undefined'] },
  },
]);
