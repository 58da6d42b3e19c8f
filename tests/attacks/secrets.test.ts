import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** Gathers every text that can be reached, and gives back those that a machine would be known by. */
const SEARCH = `
  const seen = new Set();
  const texts = [];
  const visit = (value) => {
    if (typeof value === 'string') texts.push(value);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
    seen.add(value);
    if (typeof value === 'function') texts.push(Function.prototype.toString.call(value));
    for (const key of Reflect.ownKeys(value)) {
      texts.push(String(key));
      let descriptor = Reflect.getOwnPropertyDescriptor(value, key);
      for (const part of [descriptor.value, descriptor.get, descriptor.set]) visit(part);
    }
    visit(Reflect.getPrototypeOf(value));
  };
  visit(globalThis);
  for (const make of [() => null.a, () => (0, eval)('('), () => tool(() => 1), () => import('x'), () => structuredClone(() => 1), () => atob('*'), () => new TextDecoder('none'), () => setTimeout(1), () => fails()])
    try { visit(await make()); } catch (error) { visit(error); texts.push(error.stack, String(error.cause)); }
  return texts.map(String).filter((text) => /planted|node_modules|file:\\/\\/|\\/(?:home|root|usr|tmp|Users)\\/|\\.pnpm|process\\.env|[A-Z]:\\\\/.test(text)).map((text) => text.slice(0, 200))`;

attacks('secrets of the environment', {}, [
  {
    kind: [22, 68],
    name: 'no text that can be reached tells of the machine',
    code: SEARCH,
    tools: {
      tool: (): number => 1,
      fails: (): never => {
        throw new Error('no');
      },
    },
    expected: { value: [] },
  },
  {
    kind: 68,
    name: 'nor after the guest has made the runtime throw in every way',
    code: `
      const stacks = [];
      Error.prepareStackTrace = (error, sites) => { stacks.push(...sites.map(String), String(error)); return ''; };
      for (const make of [() => console.log(new Proxy({}, { ownKeys() { throw 1; } })), () => structuredClone(Symbol()), () => new TextEncoder().encode(Symbol()), () => tool(1, 2)])
        try { await make(); } catch (error) { stacks.push(String(error.stack)); }
      return stacks.filter((text) => /\\/|\\\\\\\\|planted/.test(text))`,
    tools: { tool: (): number => 1 },
    expected: { value: [] },
  },
  {
    kind: 68,
    name: 'a tool error says its message, and no more of the host',
    code: 'return await fails().catch((error) => [error.message, error.stack, JSON.stringify(error), String(error.cause)])',
    tools: {
      fails: (): never => {
        throw Object.assign(
          new Error('refused', { cause: new Error(process.env['GLOVEBOX_PLANTED']) }),
          {
            path: process.cwd(),
            env: process.env['GLOVEBOX_PLANTED'],
          },
        );
      },
    },
    expected: { value: ['refused', expect.any(String), expect.any(String), 'undefined'] },
  },
  {
    kind: 68,
    name: 'memory that was not written is zero',
    code: `
      const views = Array.from({ length: 50 }, () => new Uint8Array(100000));
      return views.every((view) => view.every((byte) => byte === 0))`,
    expected: { value: true },
  },
  {
    kind: 68,
    name: 'the clock tells the time, and nothing of the process',
    code: 'return [performance.now() < 60_000, Object.keys(performance), typeof performance.memory]',
    expected: { value: [true, expect.any(Array), 'undefined'] },
  },
]);
