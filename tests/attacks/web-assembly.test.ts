import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const features = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'] as const;

/** `(module (func (export "f") (loop br 0)))` */
const LOOP = '0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11';
/** `(module (func (export "f") (call 0)))` */
const RECURSION = '0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,6,1,4,0,16,0,11';
const load = (bytes: string): string =>
  `new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array([${bytes}]))).exports.f()`;

attacks('what is not there unless it is asked for', {}, [
  {
    kind: [11, 54],
    name: 'WebAssembly, SharedArrayBuffer and Atomics',
    code: `
      const found = ['WebAssembly', 'SharedArrayBuffer', 'Atomics'].filter((name) => name in globalThis);
      for (const make of [() => (0, eval)('WebAssembly'), () => new Function('return SharedArrayBuffer')()])
        try { found.push(typeof make()); } catch {}
      return found`,
    expected: { value: [] },
  },
  {
    kind: [11, 54],
    name: 'nor by way of other builtins',
    code: `
      const bytes = new Uint8Array(8);
      return [bytes.buffer.constructor.name, Object.getPrototypeOf(bytes.buffer).constructor.name, typeof bytes.buffer.grow]`,
    expected: { value: ['ArrayBuffer', 'ArrayBuffer', 'undefined'] },
  },
]);

attacks('WebAssembly that was asked for', { executor: { features } }, [
  {
    kind: [11, 23],
    name: 'a loop in it',
    code: load(LOOP),
    limits: { wallMs: 300 },
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: [11, 56],
    name: 'endless recursion in it',
    code: `try { ${load(RECURSION)} } catch (error) { return error.name }`,
    expected: { value: 'RangeError' },
  },
  {
    kind: 11,
    name: 'catching by its tag gives nothing of the host',
    code: `
      const tag = WebAssembly.JSTag;
      const { constructor } = await tool().catch((error) => error);
      return [tag === undefined || tag instanceof WebAssembly.Tag, constructor.constructor('return typeof process')()]`,
    tools: {
      tool: (): never => {
        throw new Error('x');
      },
    },
    expected: { value: [true, 'undefined'] },
  },
  {
    kind: 11,
    name: 'its promises are promises of the guest',
    code: `
      const promises = [WebAssembly.compile(new Uint8Array(1)), WebAssembly.instantiate(new Uint8Array(1))];
      await Promise.allSettled(promises);
      return promises.map((promise) => promise.constructor.constructor('return typeof process')())`,
    limits: { wallMs: 1000 },
    // Compiling in the background waits for tasks that isolated-vm does not always run.
    expected: { endsIn: ['value', 'WALL_LIMIT'] },
    check: (outcome) => {
      const seen = outcome.ok ? outcome.value : ['undefined', 'undefined'];
      expect(seen).toEqual(['undefined', 'undefined']);
    },
  },
  {
    kind: 11,
    name: 'broken modules are errors of the guest',
    code: 'try { new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 99])) } catch (error) { return error.name }',
    expected: { value: 'CompileError' },
  },
  {
    kind: 54,
    name: 'half a gibibyte of its memory, touched',
    code: 'const all = []; for (;;) { const m = new WebAssembly.Memory({ initial: 2048 }); new Uint8Array(m.buffer).fill(1); all.push(m); }',
    limits: { memoryMb: 32 },
    notInThreads:
      'The memory is outside of the limit of the isolate, so nothing bounds it in the process.',
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 54,
    name: 'its memory, grown step by step',
    code: 'const m = new WebAssembly.Memory({ initial: 1, maximum: 65536 }); for (;;) { m.grow(256); new Uint8Array(m.buffer).fill(1); }',
    limits: { memoryMb: 32 },
    notInThreads:
      'The memory is outside of the limit of the isolate, so nothing bounds it in the process.',
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 54,
    name: 'its tables',
    code: 'const all = []; for (;;) all.push(new WebAssembly.Table({ initial: 1e6, element: "externref" }));',
    limits: { memoryMb: 32 },
    notInThreads:
      'The memory is outside of the limit of the isolate, so nothing bounds it in the process.',
    expected: { error: 'MEMORY_LIMIT' },
  },
  {
    kind: 54,
    name: 'shared memory without an end',
    code: 'const all = []; for (;;) { const s = new SharedArrayBuffer(2 ** 24); new Uint8Array(s).fill(1); all.push(s); }',
    limits: { memoryMb: 32 },
    expected: { endsIn: ['MEMORY_LIMIT', 'GUEST_ERROR'] },
  },
  {
    kind: 43,
    name: 'shared memory as a result',
    code: 'return new Uint8Array(new SharedArrayBuffer(4))',
    expected: { endsIn: ['value', 'UNSERIALIZABLE_RESULT'] },
  },
]);
