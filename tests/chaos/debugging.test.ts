import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

import { expect, test } from 'vitest';

import { CLI } from '../support/mcp.ts';
import { finish, runScript, startScript } from '../support/script.ts';

const RUNS = 'tests/fixtures/debugged-runs.ts';
const WAITS = 'tests/fixtures/waits-for-debugger.ts';

/** What the log says of one thing: its lines without times and process ids. */
function linesAbout(subject: string, stderr: string): string[] {
  return stderr.split('\n').flatMap((line) => {
    const [, text = ''] = /^GLOVEBOX \d+: (.*)$/.exec(line) ?? [];
    if (!text.startsWith(subject)) return [];
    return [text.replaceAll(/\d+\.\d ms/g, '# ms').replace(/\(pid \d+\)/, '(pid #)')];
  });
}

test('NODE_DEBUG=glovebox tells what hosts and runs do, in order and with times', async () => {
  const child = startScript(RUNS, [], { NODE_DEBUG: 'glovebox' });
  const { code, stdout, stderr } = await finish(child);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  const { node } = process.versions;
  expect(linesAbout('host-1 ', stderr)).toEqual([
    'host-1 (pid #): started, slots: 1',
    `host-1 (pid #): ready after # ms, Node v${node}, isolated-vm 7.0.1`,
    'host-1 (pid #): killed to end run 3: limit',
    'host-1 (pid #): gone, current runs: 1, HOST_LOST: The host was killed to end another run in it.',
    'host-1 (pid #): the process was killed by SIGKILL',
  ]);
  expect(linesAbout('run ', stderr)).toEqual([
    'run 1: started in host-1, after # ms',
    'run 1: ended with a value; wall # ms, cpu # ms, queue # ms, tool calls: 0',
    'run 2: started in host-1, after # ms',
    'run 2: ended with a value; wall # ms, cpu # ms, queue # ms, tool calls: 0',
    'run 3: started in host-1, after # ms',
    'run 3: asked to stop, WALL_LIMIT',
    'run 3: did not stop, killed',
    'run 3: ended with WALL_LIMIT, ran: yes; wall # ms, cpu # ms, queue # ms, tool calls: 0',
  ]);
  expect(linesAbout('queue', stderr)).toEqual([
    'queue: a run waits for a slot, waiting: 1',
    'queue: a run got a slot after # ms, waiting: 0',
  ]);
  expect(linesAbout('host-2 ', stderr)[0]).toBe('host-2 (pid #): started, slots: 1');
});

test('without NODE_DEBUG nothing is written', async () => {
  const { code, stdout, stderr } = await runScript(RUNS);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
});

const TOLD = /^glovebox: inspector of host process (\d+): (.*)$/;

/** The next hosts' addresses, as the caller's standard error tells them: process id and text. */
async function inspectorsTold(child: ChildProcess, count: number): Promise<[string, string][]> {
  const told: [string, string][] = [];
  if (child.stderr === null) return told;
  for await (const line of createInterface(child.stderr)) {
    const [, pid, text] = TOLD.exec(line) ?? [];
    if (pid !== undefined && text !== undefined) told.push([pid, text]);
    if (told.length === count) break;
  }
  return told;
}

/** What an inspector answers, and the kind of the first thread that it can attach to. */
async function ask(url: string, expression: string): Promise<{ value: unknown; thread: unknown }> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const answered = Promise.withResolvers<unknown>();
  const attached = Promise.withResolvers<unknown>();
  socket.addEventListener('message', ({ data }) => {
    const { id, method, params, result } = JSON.parse(String(data));
    if (id === 2) answered.resolve(result.result.value);
    if (method === 'NodeWorker.attachedToWorker') attached.resolve(params.workerInfo.type);
  });
  const enable = { waitForDebuggerOnStart: false };
  socket.send(JSON.stringify({ id: 1, method: 'NodeWorker.enable', params: enable }));
  // The host tells of its inspector before it runs anything: its thread shows that it does.
  const thread = await attached.promise;
  socket.send(JSON.stringify({ id: 2, method: 'Runtime.evaluate', params: { expression } }));
  const value = await answered.promise;
  socket.close();
  await once(socket, 'close');
  return { value, thread };
}

async function end(child: ChildProcess): Promise<number | null> {
  const ended = once(child, 'close');
  child.stdin?.end();
  const [code] = (await ended) as [number | null];
  return code;
}

test('GLOVEBOX_INSPECT=1 opens each host, and the thread of its slot, to a debugger', async () => {
  const child = startScript(WAITS, [], { GLOVEBOX_INSPECT: '1' });
  const told = await inspectorsTold(child, 2);
  expect(told).toHaveLength(2);
  for (const [pid, url] of told) {
    expect(url).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//);
    expect(await ask(url, 'process.pid')).toEqual({ value: Number(pid), thread: 'worker' });
  }
  expect(await end(child)).toBe(0);
});

test('the doctor says that a host with an inspector is not contained', async () => {
  const { stdout } = await finish(startScript(CLI, ['doctor'], { GLOVEBOX_INSPECT: '1' }));
  expect(stdout).toContain('weak  Hosts still have these permissions: inspector.');
});

test('GLOVEBOX_INSPECT=PORT gives the first host that port, and the next host the next one', async () => {
  const port = await freePort();
  const child = startScript(WAITS, [], { GLOVEBOX_INSPECT: String(port) });
  const told = await inspectorsTold(child, 2);
  const ports = told.map(([, text]) => /127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
  expect(new Set(ports)).toEqual(new Set([String(port), String(port + 1)]));
  expect(await end(child)).toBe(0);
});

test('an inspector that cannot listen is told, and the host runs without it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const child = startScript(WAITS, [], { GLOVEBOX_INSPECT: String(port) });
  const told = await inspectorsTold(child, 2);
  expect(told.map(([, text]) => text)).toContain(
    `Starting inspector on 127.0.0.1:${port} failed: address already in use`,
  );
  expect(await end(child)).toBe(0);
  server.close();
});

test.each([
  [{ GLOVEBOX_INSPECT: '1', NODE_ENV: 'production' }, /NODE_ENV is production/],
  [
    { GLOVEBOX_INSPECT: 'yes' },
    /GLOVEBOX_INSPECT must be 1, or a port from 1024 to 65535, not yes/,
  ],
  [{ GLOVEBOX_INSPECT: '80' }, /a port from 1024 to 65535, not 80/],
])('no host starts with %o', async (env, message) => {
  const { code, stderr } = await finish(startScript(WAITS, [], env));
  expect(code).toBe(1);
  expect(stderr).toMatch(message);
  expect(stderr).toContain("code: 'INVALID_OPTIONS'");
  expect(stderr).not.toMatch(/inspector of host process/);
});

test.each(['', '0'])('GLOVEBOX_INSPECT=%o is as good as none', async (value) => {
  const child = startScript(RUNS, [], { GLOVEBOX_INSPECT: value, NODE_ENV: 'production' });
  const { code, stderr } = await finish(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

/** A port that was free a moment ago, as the one behind it was. */
async function freePort(): Promise<number> {
  for (;;) {
    const first = createServer().listen(0, '127.0.0.1');
    await once(first, 'listening');
    const address = first.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const second = createServer().listen(port + 1, '127.0.0.1');
    const isFree = await once(second, 'listening').then(
      () => true,
      () => false,
    );
    await Promise.all([first, second].map((server) => new Promise((done) => server.close(done))));
    if (isFree) return port;
  }
}
