import { LANGUAGE_GLOBALS, PROVIDED_GLOBALS, TOOLS_GLOBAL } from '@glovebox/protocol/guest-globals';
import { expect, test } from 'vitest';

import { describeEachPool, valueOf } from '../support/pools.ts';

describeEachPool('the globals of a guest', (executor) => {
  const evaluate = async (code: string): Promise<unknown> =>
    valueOf(await executor().run({ code }));

  test('nothing of the host is there', async () => {
    const names = ['process', 'require', 'module', 'Buffer', 'fetch', 'global', 'URL', 'ivm'];
    const code = `return ${JSON.stringify(names)}.filter((name) => name in globalThis)`;
    expect(await evaluate(code)).toEqual([]);
  });

  test('WebAssembly, SharedArrayBuffer and Atomics are there only when asked for', async () => {
    const code = 'return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics]';
    expect(await evaluate(code)).toEqual(['undefined', 'undefined', 'undefined']);
  });

  test('FinalizationRegistry is as the language has it', async () => {
    const code = `
      class Registry extends FinalizationRegistry {}
      const registry = new Registry(() => {});
      let call = 'nothing';
      try { FinalizationRegistry(() => {}); } catch (error) { call = error.name; }
      let noFunction = 'nothing';
      try { new FinalizationRegistry(1); } catch (error) { noFunction = error.name; }
      registry.register({}, 'held');
      return {
        name: FinalizationRegistry.name, length: FinalizationRegistry.length,
        is: [registry instanceof Registry, registry instanceof FinalizationRegistry],
        own: FinalizationRegistry.prototype.constructor === FinalizationRegistry,
        keys: Object.keys(globalThis).includes('FinalizationRegistry'),
        text: String(registry), call, noFunction,
      }`;
    expect(await evaluate(code)).toEqual({
      name: 'FinalizationRegistry',
      length: 1,
      is: [true, true],
      own: true,
      keys: false,
      text: '[object FinalizationRegistry]',
      call: 'TypeError',
      noFunction: 'TypeError',
    });
  });

  test('no function leads to the host', async () => {
    const code = `
      const makers = [tools, console.log, setTimeout, structuredClone, atob, TextEncoder, (async () => {})()]
        .map((value) => value?.constructor?.constructor).filter(Boolean);
      return makers.map((make) => make('return typeof process + typeof require')());
    `;
    const kinds = await evaluate(code);
    expect(new Set(kinds as string[])).toEqual(new Set(['undefinedundefined']));
  });

  test('nothing that can be reached belongs to isolated-vm', async () => {
    const code = `
      const seen = new Set();
      const found = [];
      const visit = (value, path) => {
        if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
        if (seen.has(value)) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
          if (['applySync', 'applySyncPromise', 'copySync', 'derefInto', 'setSync'].includes(key)) {
            found.push(path + '.' + String(key));
          }
          const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
          for (const part of [descriptor.value, descriptor.get, descriptor.set]) visit(part, path + '.' + String(key));
        }
        visit(Reflect.getPrototypeOf(value), path + '.[[Prototype]]');
      };
      visit(globalThis, 'globalThis');
      return { found, walked: seen.size > 500 };
    `;
    expect(await evaluate(code)).toEqual({ found: [], walked: true });
  });

  test('the names on the global object are those of the language and ours', async () => {
    const names = await evaluate('return Object.getOwnPropertyNames(globalThis)');
    // An older V8 lacks some names of the language.
    const language = LANGUAGE_GLOBALS.filter((name) => name in globalThis);
    expect(new Set(names as string[])).toEqual(
      new Set([...language, ...PROVIDED_GLOBALS, TOOLS_GLOBAL]),
    );
  });

  test.each([
    ['atob', 'return atob(" aGk= ")', 'hi'],
    ['btoa', 'return btoa("hi\\u00ff")', 'aGn/'],
    [
      'btoa and atob of every byte',
      'const all = String.fromCharCode(...Array(256).keys()); return atob(btoa(all)) === all',
      true,
    ],
    [
      'TextEncoder',
      'return new TextEncoder().encode("aé€😀\\ud800")',
      new TextEncoder().encode('aé€😀\uD800'),
    ],
    [
      'TextDecoder',
      'return new TextDecoder().decode(new Uint8Array([0xef,0xbb,0xbf,0x61,0xc3,0xa9,0xff,0xf0,0x9f,0x98,0x80,0xe2,0x82]))',
      'aé\uFFFD😀\uFFFD',
    ],
    [
      'TextDecoder in pieces',
      'const d = new TextDecoder(); return [d.decode(new Uint8Array([0xe2, 0x82]), { stream: true }), d.decode(new Uint8Array([0xac]))]',
      ['', '€'],
    ],
    [
      'structuredClone',
      'const a = { when: new Date(5), set: new Set([1]) }; const b = structuredClone(a); return [b, a !== b]',
      [{ when: new Date(5), set: new Set([1]) }, true],
    ],
    [
      'performance.now',
      'const a = performance.now(); return typeof a === "number" && a >= 0',
      true,
    ],
    ['eval', 'return (0, eval)("1 + 1")', 2],
  ])('%s works', async (_name, code, expected) => {
    expect(await evaluate(code)).toStrictEqual(expected);
  });

  test('timers run in order, and can be cleared', async () => {
    const code = `
      const order = [];
      setTimeout(() => order.push('late'), 20);
      setTimeout((text) => order.push(text), 5, 'early');
      clearTimeout(setTimeout(() => order.push('never'), 1));
      let ticks = 0;
      const interval = setInterval(() => { if (++ticks === 3) clearInterval(interval); }, 2);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { order, ticks };
    `;
    expect(await evaluate(code)).toEqual({ order: ['early', 'late'], ticks: 3 });
  });

  test('timers that are left do not outlive their run', async () => {
    const outcome = await executor().run({ code: 'setTimeout(() => { for (;;); }, 5); return 1' });
    expect(valueOf(outcome)).toBe(1);
    expect(await evaluate('return 2')).toBe(2);
  });

  test('import() is refused', async () => {
    const code = 'return await import("node:fs").then(() => "loaded", (error) => error.message)';
    expect(await evaluate(code)).toBe('Not supported');
  });

  test('the code runs in strict mode', async () => {
    const code = 'try { undeclared = 1 } catch (error) { return [this, error.name] }';
    expect(await evaluate(code)).toEqual([undefined, 'ReferenceError']);
  });

  test('no run finds what another one left', async () => {
    const leave = `
      globalThis.secret = 'left';
      Object.prototype.polluted = 'left';
      Array.prototype.push = () => 'left';
      return 1`;
    for (let count = 0; count < 6; count++) await executor().run({ code: leave });
    const look = 'return [typeof secret, typeof ({}).polluted, [].push(1)]';
    for (let count = 0; count < 6; count++) {
      expect(await evaluate(look)).toEqual(['undefined', 'undefined', 1]);
    }
  });
});

describeEachPool(
  'globals that were asked for',
  (executor) => {
    test('are there', async () => {
      const code = 'return [typeof WebAssembly, typeof SharedArrayBuffer, typeof Atomics]';
      expect(valueOf(await executor().run({ code }))).toEqual(['object', 'undefined', 'object']);
    });
  },
  { features: ['WebAssembly', 'Atomics'] },
);
