import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const SPECIFIERS: readonly string[] = [
  'fs',
  'node:fs',
  'node:child_process',
  'node:worker_threads',
  'node:vm',
  'node:module',
  'node:inspector',
  'node:sqlite',
  'node:process',
  'node:test',
  'node:wasi',
  'node:v8',
  'node:net',
  'isolated-vm',
  '@glovebox/core',
  '@glovebox/worker',
  './a.js',
  '../../package.json',
  '/etc/passwd',
  'file:///etc/passwd',
  'data:text/javascript,export default 1',
  'https://example.com/a.js',
  'blob:null',
  '',
  '__proto__',
  'constructor',
];

attacks('imports', {}, [
  ...SPECIFIERS.map((specifier) => ({
    kind: /^[./]|^file/.test(specifier) ? ([17, 19] as const) : ([17, 18] as const),
    name: `import(${JSON.stringify(specifier)}) is refused`,
    code: 'return await import(specifier).then(() => "loaded", (error) => [error.constructor === Error || error.constructor === TypeError, error.message])',
    variables: { specifier },
    expected: { value: [true, 'Not supported'] },
  })),
  {
    kind: 17,
    name: 'attributes, phases and specifiers that run code load nothing',
    code: `
      const seen = [];
      for (const load of [
        () => import('a', { with: { type: 'json' } }),
        () => import({ toString() { seen.push('asked'); return 'node:fs'; } }),
        () => import(Symbol('a')),
        () => (0, eval)('import("node:fs")'),
        () => new Function('return import("node:fs")')(),
        () => Promise.all([import('a'), import('a')]),
      ]) seen.push(await Promise.resolve().then(load).then(() => 'loaded', () => 'refused'));
      return seen`,
    expected: { value: ['refused', 'refused', 'refused', 'refused', 'refused', 'refused'] },
  },
  {
    kind: 17,
    name: 'a specifier that loops is not even asked',
    code: 'await import({ toString() { for (;;); } })',
    expected: { error: 'GUEST_ERROR', message: 'Not supported' },
  },
  {
    kind: 18,
    name: 'no loader of Node is there under any name',
    code: `
      const names = ['require', 'module', 'exports', 'process', '__filename', '__dirname', 'global', 'root', 'Buffer',
        'importScripts', 'Deno', 'Bun', 'WScript', 'load', 'read', 'print', 'quit', 'd8', 'Worker', 'SharedWorker'];
      return names.filter((name) => { try { (0, eval)(name); return true; } catch { return false; } })`,
    expected: { value: [] },
  },
  {
    kind: 18,
    name: 'natives of V8 cannot be called',
    code: `
      return ['%DebugPrint(1)', '%OptimizeFunctionOnNextCall(f)', '%GetOptimizationStatus(f)']
        .filter((code) => { try { (0, eval)(code); return true; } catch { return false; } })`,
    expected: { value: [] },
  },
  {
    kind: 19,
    name: 'a source name cannot be a path',
    script: async ({ executor }) => {
      for (const filename of [
        '../a.js',
        '/etc/passwd',
        'a/b.js',
        'file:///a',
        'a\nb',
        'a b',
        'a'.repeat(101),
        '',
      ]) {
        await expect(executor.run({ code: 'return 1', filename })).rejects.toMatchObject({
          code: 'INVALID_OPTIONS',
          path: 'filename',
        });
      }
      return [];
    },
  },
]);
