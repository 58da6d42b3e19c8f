import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

import { launchHost } from '../../packages/core/src/pools/process/launch-host.ts';
import { childrenOf } from '../support/processes.ts';
import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

/** What native code that has left its isolate could ask of Node, in a process with a host's flags. */
async function inHost(code: string): Promise<string> {
  const settings = {
    slots: 1,
    reportMemoryMs: 0,
    slot: { memoryMb: 64, features: [], prepared: 0, session: false },
  };
  const child = launchHost(settings, {
    spawn: (command, args, options) =>
      // The flags are those of a host; its entry point and its settings give way to the code.
      spawn(command, [...args.slice(0, -2), '--input-type=module', '--eval', code], {
        ...options,
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      }),
  });
  return child.stdout === null ? '' : (await text(child.stdout)).trim();
}

const attempt = (body: string): string =>
  `try { ${body}; console.log('done'); } catch (error) { console.log(error.code ?? error.name); }`;

const REFUSED: readonly [name: string, body: string][] = [
  [
    'reading a file of the machine',
    "const fs = await import('node:fs'); fs.readFileSync('/etc/passwd')",
  ],
  [
    'reading the environment of the parent',
    "const fs = await import('node:fs'); fs.readFileSync('/proc/' + process.ppid + '/environ')",
  ],
  ['listing a folder', "const fs = await import('node:fs'); fs.readdirSync('/')"],
  [
    'writing a file',
    "const fs = await import('node:fs'); fs.writeFileSync('/tmp/glovebox-escape', 'x')",
  ],
  [
    'making a link',
    "const fs = await import('node:fs'); fs.symlinkSync('/etc/passwd', '/tmp/glovebox-link')",
  ],
  [
    'starting a process',
    "const { spawnSync } = await import('node:child_process'); const { error } = spawnSync('/bin/true'); if (error) throw error",
  ],
  ['opening an inspector', "const inspector = await import('node:inspector'); inspector.open(0)"],
  ['WASI', "const { WASI } = await import('node:wasi'); new WASI({ version: 'preview1' })"],
];

const ONE_PROCESS = 'Threads live in the process of the caller, with all that it may do.';
const forbidsNetwork = Number(process.versions.node.split('.')[0]) >= 25;

attacks('what a process could do after a native escape', {}, [
  ...REFUSED.map(([name, body]) => ({
    kind: 69 as const,
    name: `${name} is refused to a host`,
    notInThreads: ONE_PROCESS,
    script: async () => {
      expect(await inHost(attempt(body))).toMatch(/^ERR_(?:ACCESS_DENIED|INSPECTOR_\w+)$/);
      return [];
    },
  })),
  {
    kind: [62, 69],
    name: 'the network is closed to a host where Node can close it, and the host says whether it is',
    notInThreads: ONE_PROCESS,
    script: async () => {
      const connect = `
        const net = await import('node:net');
        await new Promise((resolve, reject) => { const s = net.connect({ host: '127.0.0.1', port: 9, autoSelectFamily: false }); s.on('error', reject); s.on('connect', resolve); })`;
      expect(await inHost(attempt(connect))).toBe(
        forbidsNetwork ? 'ERR_ACCESS_DENIED' : 'ECONNREFUSED',
      );
      return [];
    },
  },
  {
    kind: 68,
    name: 'a host has an empty environment and nothing secret on its command line',
    notInThreads: ONE_PROCESS,
    script: async ({ executor }) => {
      const hosts = childrenOf(process.pid);
      expect(hosts.length).toBeGreaterThanOrEqual(2);
      for (const pid of hosts) {
        expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toBe('');
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('planted');
      }
      return [await executor.run({ code: 'return 1' })];
    },
  },
  {
    kind: 62,
    name: 'guests have nothing to open a connection with',
    code: `
      return ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'WebTransport', 'RTCPeerConnection', 'BroadcastChannel',
        'navigator', 'Request', 'Response', 'Headers', 'importScripts', 'Worker', 'open'].filter((name) => name in globalThis)`,
    expected: { value: [] },
  },
  {
    kind: 62,
    name: 'an address is text, and is never fetched or resolved',
    code: 'return await tool({ url: "http://169.254.169.254/latest/meta-data", file: "file:/etc/passwd" })',
    tools: { tool: (input: unknown) => input },
    expected: {
      value: { url: 'http://169.254.169.254/latest/meta-data', file: 'file:/etc/passwd' },
    },
  },
]);
