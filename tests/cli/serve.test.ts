import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

import { afterEach, describe, expect, test } from 'vitest';

import { post } from '../support/json-rpc.ts';
import { CLI, MODULE } from '../support/mcp.ts';
import { childrenOf, isAlive, until } from '../support/processes.ts';
import { finish, runScript, startScript } from '../support/script.ts';

const request = (id: number, code: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'execute', params: { code } });
const call = (id: number, tool: string, args: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'dispatch', params: { tool, args } });
const ENDLESS = 'for (;;);';

/** The messages that a process wrote to standard output, each a line of its own. */
const messagesOf = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function serve(flags: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const child = startScript(CLI, ['serve', '--hosts', '1', ...flags], env);
  started.push(child);
  return child;
}

/** The address that a server says it is at. */
async function urlOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error('There is no stderr.');
  for await (const line of createInterface({ input: stderr })) {
    const url = /listening on (?<url>\S+)/.exec(line)?.groups?.['url'];
    if (url !== undefined) return url;
  }
  throw new Error('It does not say where it listens.');
}

describe('glovebox serve --json-rpc stdio', () => {
  test('answers a pipe, and writes nothing but answers, whatever the module writes', async () => {
    const input = [
      request(1, 'console.log("hi"); return (await orders.total({ id: 7 })).total'),
      'nonsense',
      call(2, 'pay', { amount: 11 }),
    ];
    const flags = ['serve', '--json-rpc', 'stdio', '--module', MODULE, '--hosts', '1'];
    const { code, stdout, stderr } = await runScript(CLI, flags, input.join('\n'));
    expect(messagesOf(stdout)).toHaveLength(3);
    expect(messagesOf(stdout)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: 1, result: expect.objectContaining({ value: 70 }) }),
        expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }),
        expect.objectContaining({
          id: 2,
          error: expect.objectContaining({ message: expect.stringMatching(/without --yes$/) }),
        }),
      ]),
    );
    expect([code, stderr]).toEqual([0, 'loaded\nand ready\n']);
  });

  test('writes large answers to their end', async () => {
    const flags = ['serve', '--json-rpc', 'stdio', '--hosts', '1'];
    const { stdout } = await runScript(CLI, flags, request(1, 'return "x".repeat(4_000_000)'));
    const [answer] = messagesOf(stdout) as { result: { value: string } }[];
    expect(answer?.result.value).toHaveLength(4_000_000);
  });

  test('approves with --yes', async () => {
    const flags = ['serve', '--json-rpc', 'stdio', '--module', MODULE, '--hosts', '1', '--yes'];
    const { stdout } = await runScript(CLI, flags, call(1, 'pay', { amount: 11 }));
    expect(messagesOf(stdout)).toMatchObject([{ result: { value: 'paid 11' } }]);
  });

  test('has the limits that it is given', async () => {
    const flags = ['serve', '--json-rpc', 'stdio', '--timeout', '300ms', '--max-message', '1mb'];
    const input = `${request(1, ENDLESS)}\n${request(2, ' '.repeat(2 ** 20))}`;
    const { stdout } = await runScript(CLI, flags, input);
    const messages = messagesOf(stdout);
    expect(messages).toContainEqual(
      expect.objectContaining({
        id: 1,
        result: expect.objectContaining({
          error: expect.objectContaining({ code: 'WALL_LIMIT', limit: 300 }),
        }),
      }),
    );
    expect(messages).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32600 }) }),
    );
  });

  test.each<[string, (child: ChildProcess) => void]>([
    ['closes its end of the input', (child) => child.stdin?.end()],
    [
      'does not read any more',
      (child) => {
        child.stdout?.destroy();
        // Only whoever writes hears that nobody reads.
        child.stdin?.write('{}\n');
      },
    ],
  ])('leaves nothing behind of a client that %s', async (_what, goAway) => {
    const child = serve(['--json-rpc', 'stdio', '--grace', '200ms']);
    const { pid = 0, stdin } = child;
    stdin?.write(`${request(1, ENDLESS)}\n`);
    await until(() => childrenOf(pid).length > 0);
    const hosts = childrenOf(pid);
    goAway(child);
    await once(child, 'exit');
    await until(() => !hosts.some(isAlive));
    expect(hosts.length).toBeGreaterThan(0);
  });
});

describe('glovebox serve over HTTP', () => {
  test('takes its token from the environment', async () => {
    const token = 'from-the-environment';
    const child = serve(['--json-rpc', 'http'], { GLOVEBOX_TOKEN: token });
    const url = await urlOf(child);
    const refused = await post(url, request(1, 'return 1'));
    const served = await post(url, request(1, 'return 1'), { authorization: `Bearer ${token}` });
    expect([refused.status, served.status]).toEqual([401, 200]);
  });

  test.each([
    ['--json-rpc', /^http:\/\/127\.0\.0\.1:\d+\/$/],
    ['--mcp', /^http:\/\/127\.0\.0\.1:\d+\/mcp$/],
  ])('%s says where it is, and ends well on SIGTERM', async (protocol, address) => {
    const child = serve([protocol, 'http']);
    expect(await urlOf(child)).toMatch(address);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('lets calls end on SIGTERM, aborts the rest, and leaves nothing behind', async () => {
    const child = serve(['--json-rpc', 'http', '--hosts', '2', '--grace', '4s']);
    const url = await urlOf(child);
    // Its hosts are there.
    await Promise.all([1, 2].map((id) => post(url, request(id, 'return 1'))));
    const short = post(
      url,
      request(1, 'await new Promise((done) => setTimeout(done, 300)); return 1'),
    );
    const endless = post(url, request(2, ENDLESS));
    // Both are under way when it says so.
    await post(url, JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools.list' }));
    const hosts = childrenOf(child.pid ?? 0);
    child.kill('SIGTERM');
    expect(JSON.parse((await short).body)).toMatchObject({ id: 1, result: { value: 1 } });
    expect(JSON.parse((await endless).body)).toMatchObject({
      id: 2,
      result: { error: { code: 'ABORTED', cause: { message: 'The server is closing.' } } },
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    await until(() => !hosts.some(isAlive));
  });

  test('ends at once on a second signal', async () => {
    const child = serve(['--json-rpc', 'http', '--grace', '60s']);
    const url = await urlOf(child);
    const endless = post(url, request(1, ENDLESS)).catch(({ code }: { code: string }) => code);
    await post(url, JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools.list' }));
    child.kill('SIGTERM');
    // Nobody is let in any more once the first was heard.
    await expect
      .poll(() => post(url, '{}').catch(({ code }) => code as string))
      .toBe('ECONNREFUSED');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([130, null]);
    expect(await endless).toBe('ECONNRESET');
  });
});

describe('glovebox serve', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['no protocol', [], /--mcp and --json-rpc/],
    ['two protocols', ['--mcp', 'stdio', '--json-rpc', 'stdio'], /cannot be used with/],
    ['an unknown carrier', ['--mcp', 'pigeon'], /stdio, http/],
    ['a port that is none', ['--mcp', 'http', '--port', 'x'], /Give a whole number/],
    ['a port that is too large', ['--mcp', 'http', '--port', '65536'], /port/],
    ['a module that is not there', ['--mcp', 'stdio', '--module', 'none.ts'], /Cannot find module/],
    [
      'another machine without token',
      ['--json-rpc', 'http', '--host', '0.0.0.0'],
      /token is required/,
    ],
    ['a time without unit', ['--mcp', 'stdio', '--grace', '5'], /needs a unit/],
  ])('%s is misuse', async (_what, flags, message) => {
    const { code, stdout, stderr } = await finish(serve(flags));
    expect(stderr).toMatch(message);
    expect([code, stdout]).toEqual([2, '']);
  });

  test('explains itself', async () => {
    const { code, stdout } = await runScript(CLI, ['serve', '--help']);
    expect(stdout).toContain('Usage: glovebox serve');
    expect(stdout).toContain('Examples:');
    expect(code).toBe(0);
  });
});
