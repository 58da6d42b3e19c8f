import { createRequire } from 'node:module';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import vm from 'node:vm';

import { Executor } from '@glovebox/core';
import type { ExecutorOptions } from '@glovebox/core';
import { createNodeIsolateDriver } from '@tanstack/ai-isolate-node';
import { createQuickJSIsolateDriver } from '@tanstack/ai-isolate-quickjs';
import ivm from 'isolated-vm';
import { createRunner } from 'run';
import { VM } from 'vm2';

import { openByHand } from './by-hand.ts';
import type { Contender, HostFunctions, Opened } from './contender.ts';

/** Everything gets the same limits, so that none does less. */
const TIMEOUT_MS = 30_000;
const MEMORY_MB = 128;
const RESULT_BYTES = 16 * 1024 * 1024;

function versionOf(name: string): string {
  const { resolve } = createRequire(import.meta.url);
  const paths = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of paths) {
    try {
      const manifest = createRequire(import.meta.url)(
        resolve(`${folder}/${name}/package.json`),
      ) as {
        version: string;
      };
      return `${name} ${manifest.version}`;
    } catch {
      // Not in this folder.
    }
  }
  return name;
}

function glovebox(name: string, wall: string, options: ExecutorOptions): Contender {
  return {
    name,
    version: versionOf('@glovebox/core'),
    wall,
    fresh: true,
    tools: true,
    async open(): Promise<Opened> {
      const executor = new Executor({
        limits: {
          wallMs: TIMEOUT_MS,
          memoryMb: MEMORY_MB,
          resultBytes: RESULT_BYTES,
          toolCalls: 10_000,
        },
        ...options,
      });
      // All hosts, the spare one too: what is measured is not their start.
      while (executor.stats().hosts < os.availableParallelism()) await delay(10);
      await delay(300);
      return {
        async run(code, tools) {
          const outcome = await executor.run(tools === undefined ? { code } : { code, tools });
          if (!outcome.ok) throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
          return outcome.value;
        },
        close: () => executor.close(),
      };
    },
  };
}

const runPeer: Contender = {
  name: 'run',
  version: versionOf('run'),
  wall: 'QuickJS in a worker thread',
  fresh: true,
  tools: true,
  async open() {
    const runner = createRunner({
      limits: {
        timeoutMs: TIMEOUT_MS,
        memoryLimitBytes: MEMORY_MB * 1024 * 1024,
        maxResultBytes: RESULT_BYTES,
        maxHostFunctionOutputBytes: RESULT_BYTES,
        maxBridgeRequests: 10_000,
      },
    });
    return {
      async run(code, tools) {
        // Its functions live in groups; a prelude gives them the names that the others have.
        const names = Object.keys(tools ?? {});
        const prelude = names.map((name) => `const ${name} = host.${name};`).join('');
        const result = await runner.run({
          source: prelude + code,
          ...(tools === undefined ? {} : { hostFunctions: { host: tools } }),
        });
        if (result.status !== 'completed') throw new Error(result.status);
        return result.value;
      },
      close: async () => undefined,
    };
  },
};

function tanstack(
  name: string,
  wall: string,
  createContext: ReturnType<typeof createNodeIsolateDriver>['createContext'],
): Contender {
  return {
    name,
    version: versionOf(name),
    wall,
    fresh: true,
    tools: true,
    async open() {
      return {
        async run(code, tools = {}) {
          const bindings = Object.fromEntries(
            Object.entries(tools).map(([key, execute]) => [
              key,
              {
                name: key,
                description: '',
                inputSchema: {},
                execute: async (input: unknown) => execute(input as never),
              },
            ]),
          );
          const context = await createContext({
            bindings,
            timeout: TIMEOUT_MS,
            memoryLimit: MEMORY_MB,
          });
          try {
            const { success, value, error } = await context.execute(code);
            if (!success) throw new Error(error?.message);
            return value;
          } finally {
            await context.dispose();
          }
        },
        close: async () => undefined,
      };
    },
  };
}

const AsyncFunctionSource = (code: string): string => `(async () => { ${code}\n})()`;

const vm2: Contender = {
  name: 'vm2',
  version: versionOf('vm2'),
  wall: 'proxies in the same realm',
  fresh: true,
  tools: true,
  async open() {
    return {
      run: async (code, tools: HostFunctions = {}) =>
        (await new VM({ timeout: TIMEOUT_MS, sandbox: { ...tools } }).run(
          AsyncFunctionSource(code),
        )) as unknown,
      close: async () => undefined,
    };
  },
};

const nodeVm: Contender = {
  name: 'node:vm',
  version: `node ${process.versions.node}`,
  wall: 'none: not a security boundary',
  fresh: true,
  tools: true,
  async open() {
    return {
      run: async (code, tools: HostFunctions = {}) =>
        (await vm.runInNewContext(
          AsyncFunctionSource(code),
          { ...tools },
          { timeout: TIMEOUT_MS },
        )) as unknown,
      close: async () => undefined,
    };
  },
};

/** isolated-vm with nothing around it: what the parts cost. */
const bare: Contender = {
  name: 'isolated-vm, bare',
  version: versionOf('isolated-vm'),
  wall: 'V8 isolate in the same process',
  fresh: true,
  tools: false,
  async open() {
    return {
      async run(code) {
        const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MB });
        try {
          const context = isolate.createContextSync();
          return await context.eval(AsyncFunctionSource(code), {
            promise: true,
            copy: true,
            timeout: TIMEOUT_MS,
          });
        } finally {
          isolate.dispose();
        }
      },
      close: async () => undefined,
    };
  },
};

/** The same with processes and prepared isolates: the least that a pool of this kind can cost. */
const byHand: Contender = {
  name: 'isolated-vm, by hand',
  version: versionOf('isolated-vm'),
  wall: 'V8 isolate and process',
  fresh: true,
  tools: false,
  open: () => openByHand(AsyncFunctionSource),
};

const nodeDriver = createNodeIsolateDriver({ skipProbe: true });
const quickjsDriver = createQuickJSIsolateDriver();

export const CONTENDERS: readonly Contender[] = [
  glovebox('Glovebox', 'isolate, thread and process', { pool: 'process' }),
  glovebox('Glovebox, threads', 'isolate and thread', { pool: 'thread' }),
  runPeer,
  tanstack('@tanstack/ai-isolate-node', 'V8 isolate in the same process', (config) =>
    nodeDriver.createContext(config),
  ),
  tanstack('@tanstack/ai-isolate-quickjs', 'QuickJS in the same thread', (config) =>
    quickjsDriver.createContext(config),
  ),
  vm2,
  nodeVm,
  bare,
  byHand,
];
