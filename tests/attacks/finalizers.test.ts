import { attacks } from './support/attack.ts';

/** Makes enough garbage that V8 looks for it. */
const GARBAGE = 'for (let n = 0; n < 300; n++) new Array(10000).fill({});';
const REGISTER = (body: string): string => `
  globalThis.registry = new FinalizationRegistry(() => { ${body} });
  for (let n = 0; n < 1000; n++) registry.register({ n }, n);
  ${GARBAGE}`;

attacks('finalizers', {}, [
  {
    kind: 32,
    name: 'a finalizer that loops behind a good result',
    code: `${REGISTER('for (;;);')} return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'a finalizer that loops, of a registry made behind the end',
    code: `
      (async () => { for (let n = 0; n < 20; n++) await n; ${REGISTER('for (;;);')} })();
      return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'a finalizer that loops, of a registry by another constructor',
    code: `
      class Registry extends FinalizationRegistry.prototype.constructor {}
      globalThis.FinalizationRegistry = Registry;
      delete FinalizationRegistry.prototype.constructor;
      ${REGISTER('for (;;);')}
      return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'a finalizer that loops while the run waits',
    code: `${REGISTER('for (;;);')} await new Promise(() => {})`,
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 32,
    name: 'a finalizer that throws what loops when it is read',
    code: `${REGISTER('throw Object.defineProperty(new Error("x"), "stack", { get() { for (;;); } });')}
      await new Promise((resolve) => setTimeout(resolve, 50)); return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'finalizers that reject after the end',
    code: `${REGISTER('Promise.reject(new Error("lost"));')} return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'finalizers that loop in a microtask after the end',
    code: `${REGISTER('Promise.resolve().then(() => { for (;;); });')} return 'out'`,
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'finalizers that call tools after the end',
    code: `${REGISTER('tool();')} return 'out'`,
    tools: { tool: (): number => 1 },
    expected: { value: 'out' },
  },
  {
    kind: 32,
    name: 'a finalizer that registers itself for ever',
    code: `
      globalThis.registry = new FinalizationRegistry(() => { registry.register({}, 1); new Array(1e5).fill({}); });
      registry.register({}, 1);
      ${GARBAGE}
      await new Promise(() => {})`,
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 32,
    name: 'a WeakRef that is read for ever',
    code: 'const ref = new WeakRef({}); for (;;) ref.deref()',
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
]);
