import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

import { Executor } from '@glovebox/core';
import { nats } from '@glovebox/core/nats';
import type { NatsServers } from '@glovebox/core/nats';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { Authority } from '../support/certificates.ts';
import type { Certificate } from '../support/certificates.ts';
import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, findPort, NatsServer } from '../support/nats.ts';
import { errorOf, valueOf } from '../support/pools.ts';

type Tls = NonNullable<NatsServers['tls']>;

/** What the server's owner sets up. */
function configOf({ cert, key }: Certificate, clients?: Authority): string {
  const verify = clients === undefined ? '' : `ca_file: "${clients.cert}", verify: true`;
  return `tls { cert_file: "${cert}", key_file: "${key}", ${verify} }`;
}

/** Why an executor cannot run anything. */
async function refusalOf(servers: NatsServers): Promise<string> {
  await using executor = new Executor({ pool: nats({ servers }) });
  const [outcome, readiness] = await Promise.all([
    executor.run({ code: 'return 1' }),
    executor.ready().then(
      () => 'ready',
      (error: unknown) => error,
    ),
  ]);
  expect(readiness).toMatchObject({ code: 'POOL_UNAVAILABLE' });
  const error = errorOf(outcome);
  expect(error).toMatchObject({ code: 'HOST_LOST', ran: 'no' });
  expect(String(readiness)).toContain(error.message.replace(/^.*(No NATS server)/, '$1'));
  return error.message;
}

async function run(servers: string, tls: Tls): Promise<unknown> {
  await using executor = new Executor({ pool: nats({ servers: { servers, tls } }) });
  return valueOf(await executor.run({ code: 'return 6 * 7' }));
}

describeNats(
  'TLS',
  () => {
    let stack: AsyncDisposableStack;
    let authority: Authority;
    let other: Authority;
    beforeEach(() => {
      stack = new AsyncDisposableStack();
      authority = stack.use(new Authority());
      other = stack.use(new Authority());
    });
    afterEach(() => stack.disposeAsync());

    async function startServer(clients?: Authority): Promise<NatsServer> {
      const config = configOf(authority.issue('server'), clients);
      return stack.use(await NatsServer.configured(config));
    }

    function spawnWorker(url: string, flags: readonly string[]): WorkerProcess {
      return stack.use(WorkerProcess.spawn(url, 'w1', flags));
    }

    test('whoever knows the authority runs code, by either name of the server', async () => {
      const server = await startServer();
      const named = server.url.replace('nats:', 'tls:');
      const worker = spawnWorker(named, ['--tls-ca', authority.cert]);
      await worker.says('"event":"ready"');
      expect(await run(server.url, { caFile: authority.cert })).toBe(42);
      expect(await run(named, { caFile: authority.cert })).toBe(42);
    });

    test('whoever does not know the authority is told so at once; a worker goes on trying', async () => {
      const server = await startServer();
      const health = await findPort();
      const worker = spawnWorker(server.url, ['--tls-ca', other.cert, '--health', `${health}`]);
      const why = /No NATS server could be reached: .*(certificate|self-signed)/;
      expect(await refusalOf({ servers: server.url })).toMatch(why);
      expect(await refusalOf({ servers: server.url, tls: { caFile: other.cert } })).toMatch(why);
      await worker.says('"event":"waiting"');
      expect(worker.output).toMatch(why);
      expect(worker.output).toContain('"level":"warn"');
      const response = await fetch(`http://127.0.0.1:${health}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.text()).toMatch(why);

      // The server gets a certificate that the worker can check.
      await server.kill();
      server.configure(configOf(other.issue('server')));
      await server.run();
      await worker.says('"event":"ready"');
      expect(await run(server.url, { caFile: other.cert })).toBe(42);
    });

    test('a server that wants certificates of its clients lets those in that have one', async () => {
      const server = await startServer(authority);
      const worker = authority.issue('worker');
      const executor = authority.issue('executor');
      const ca = ['--tls-ca', authority.cert];
      const own = ['--tls-cert', worker.cert, '--tls-key', worker.key];
      await spawnWorker(server.url, [...ca, ...own]).says('"event":"ready"');
      const { cert: certFile, key: keyFile } = executor;
      expect(await run(server.url, { caFile: authority.cert, certFile, keyFile })).toBe(42);
    });

    test('a server that wants certificates of its clients keeps others out, who are told', async () => {
      const server = await startServer(authority);
      const stranger = other.issue('stranger');
      const ca = ['--tls-ca', authority.cert];
      const flags = [...ca, '--tls-cert', stranger.cert, '--tls-key', stranger.key];
      const workers = [spawnWorker(server.url, ca), spawnWorker(server.url, flags)];
      const { cert: certFile, key: keyFile } = stranger;
      const caFile = authority.cert;
      const messages = await Promise.all([
        refusalOf({ servers: server.url, tls: { caFile } }),
        refusalOf({ servers: server.url, tls: { caFile, certFile, keyFile } }),
        ...workers.map(async (worker) => {
          await worker.says('"event":"waiting"');
          return worker.output;
        }),
      ]);
      for (const message of messages) expect(message).toContain('client certificate');
    });

    test('whoever asks for TLS says nothing to a server without it', async () => {
      const heard: string[] = [];
      const sockets = new Set<Socket>();
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('data', (chunk) => heard.push(String(chunk)));
        socket.on('error', () => undefined);
        socket.write('INFO {"server_id":"x","version":"2.9.10","max_payload":1048576}\r\n');
      }).listen(0, '127.0.0.1');
      stack.defer(() => {
        for (const socket of sockets) socket.destroy();
        server.close();
      });
      await once(server, 'listening');
      // A TCP server has such an address.
      const { port } = server.address() as AddressInfo;
      const login = { user: 'me', pass: 'secret' };
      const servers = [`nats://127.0.0.1:${port}`, `tls://127.0.0.1:${port}`] as const;
      const worker = stack.use(
        WorkerProcess.spawn(servers[1], 'w1', ['--user', 'me'], { NATS_PASSWORD: 'secret' }),
      );
      const why = "server does not support 'tls'";
      const tls = { caFile: authority.cert };
      expect(await refusalOf({ servers: servers[0], tls, ...login })).toContain(why);
      expect(await refusalOf({ servers: servers[1], ...login })).toContain(why);
      await worker.says('"event":"waiting"');
      expect(worker.output).toContain(why);
      expect(heard).toEqual([]);
    });

    test('a worker that is given half a certificate, or none, says so and ends', async () => {
      const given = [
        ['--tls-cert', 'own.pem'],
        ['--tls-ca', '/nowhere/ca.pem'],
      ];
      const workers = given.map((flags) => spawnWorker('nats://127.0.0.1:1', flags));
      const codes = await Promise.all(workers.map((worker) => worker.ended()));
      expect(codes).toEqual([2, 2]);
      const [half, none] = workers.map(({ output }) => output);
      expect(half).toContain('--tls-cert and --tls-key must be given together.');
      expect(none).toContain('/nowhere/ca.pem');
    });
  },
  ['openssl'],
);
