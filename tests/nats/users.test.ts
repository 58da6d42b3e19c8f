import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { Executor } from '@glovebox/core';
import { credsAuthenticator, nats, nkeyAuthenticator } from '@glovebox/core/nats';
import type { NatsServers } from '@glovebox/core/nats';
import { encodeAccount, encodeOperator, encodeUser, fmtCreds } from '@nats-io/jwt';
import { nkeys } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer } from '../support/nats.ts';
import { errorOf, valueOf } from '../support/pools.ts';

const REFUSED = 'No NATS server could be reached: Authorization Violation';

/** The one may run code, the other one is told that it may not. */
const ONLY_THE_ONE = {
  value: 42,
  error: expect.objectContaining({
    code: 'HOST_LOST',
    ran: 'no',
    message: expect.stringContaining(REFUSED),
  }),
  worker: expect.stringContaining(`"event":"waiting","why":"${REFUSED}`),
};

/** A user as the worker and the executor are told of it. */
interface Login {
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly options: Omit<NatsServers, 'servers'>;
}

function byPassword(pass: string): Login {
  return { flags: ['--user', 'me'], env: { NATS_PASSWORD: pass }, options: { user: 'me', pass } };
}

function configOf(password: string): string {
  return `authorization { user: me, password: ${password} }`;
}

describeNats('users of a server', () => {
  let stack: AsyncDisposableStack;
  let folder: string;
  beforeEach(() => {
    stack = new AsyncDisposableStack();
    folder = mkdtempSync(path.join(os.tmpdir(), 'glovebox-users-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
  });
  afterEach(() => stack.disposeAsync());

  function write(name: string, content: string | Uint8Array): string {
    const file = path.join(folder, name);
    writeFileSync(file, content);
    return file;
  }

  function byNkey(name: string, seed: Uint8Array): Login {
    // As `nk -gen user > file` writes it.
    const file = write(name, `${new TextDecoder().decode(seed)}\n`);
    return { flags: ['--nkey', file], options: { authenticator: nkeyAuthenticator(seed) } };
  }

  function byCreds(name: string, creds: Uint8Array): Login {
    const flags = ['--creds', write(name, creds)];
    return { flags, options: { authenticator: credsAuthenticator(creds) } };
  }

  function spawnWorker({ url }: NatsServer, { flags, env }: Login): WorkerProcess {
    return stack.use(WorkerProcess.spawn(url, 'w1', flags, env));
  }

  function executorOver({ url: servers }: NatsServer, { options }: Login): Executor {
    return stack.use(new Executor({ pool: nats({ servers: { servers, ...options } }) }));
  }

  /** What becomes of the one and of the other one. */
  async function compare(server: NatsServer, right: Login, wrong: Login): Promise<object> {
    const refused = spawnWorker(server, wrong);
    await spawnWorker(server, right).says('"event":"ready"');
    const outcome = await executorOver(server, right).run({ code: 'return 6 * 7' });
    const error = errorOf(await executorOver(server, wrong).run({ code: 'return 1' }));
    await refused.says('"event":"waiting"');
    return { value: valueOf(outcome), error, worker: refused.output };
  }

  test('are known by a password', async () => {
    const server = stack.use(await NatsServer.configured(configOf('right')));
    expect(await compare(server, byPassword('right'), byPassword('wrong'))).toEqual(ONLY_THE_ONE);
  });

  test('are known by an NKey', async () => {
    const [right, wrong] = [nkeys.createUser(), nkeys.createUser()];
    const config = `authorization { users: [{ nkey: ${right.getPublicKey()} }] }`;
    const server = stack.use(await NatsServer.configured(config));
    const logins = [byNkey('right', right.getSeed()), byNkey('wrong', wrong.getSeed())] as const;
    expect(await compare(server, ...logins)).toEqual(ONLY_THE_ONE);
  });

  test('are known by credentials', async () => {
    const [operator, account, stranger] = [
      nkeys.createOperator(),
      nkeys.createAccount(),
      nkeys.createAccount(),
    ];
    const system = nkeys.createAccount();
    const kinds = [
      'conn',
      'subs',
      'data',
      'payload',
      'mem_storage',
      'disk_storage',
      'streams',
      'consumer',
    ];
    const unlimited = { limits: Object.fromEntries(kinds.map((kind) => [kind, -1])) };
    const accounts = {
      [account.getPublicKey()]: await encodeAccount('tenant', account, unlimited, {
        signer: operator,
      }),
      [system.getPublicKey()]: await encodeAccount('system', system, {}, { signer: operator }),
    };
    const credsOf = async (signer: typeof account): Promise<Uint8Array> => {
      const user = nkeys.createUser();
      return fmtCreds(await encodeUser('me', user, signer), user);
    };
    const preload = Object.entries(accounts).map(([key, jwt]) => `${key}: ${jwt}`);
    const server = stack.use(
      await NatsServer.configured(`
        operator: ${await encodeOperator('operator', operator)}
        system_account: ${system.getPublicKey()}
        resolver: MEMORY
        resolver_preload: { ${preload.join(', ')} }`),
    );
    const right = byCreds('right.creds', await credsOf(account));
    const wrong = byCreds('wrong.creds', await credsOf(stranger));
    expect(await compare(server, right, wrong)).toEqual(ONLY_THE_ONE);
  });

  test('a worker that is given half of a login, or none, says so and ends', async () => {
    const none = write('none', 'none');
    const given = [
      {
        flags: ['--user', 'me'],
        why: '--user requires a password in the environment variable NATS_PASSWORD.',
      },
      { flags: ['--creds', '/nowhere/me.creds'], why: '/nowhere/me.creds' },
      { flags: ['--creds', none], why: `${none} does not contain a key of that kind` },
      { flags: ['--nkey', none], why: `${none} does not contain a key of that kind` },
    ];
    const workers = given.map(({ flags }) =>
      stack.use(WorkerProcess.spawn('nats://127.0.0.1:1', 'w1', flags)),
    );
    for (const [index, worker] of workers.entries()) {
      expect(await worker.ended()).toBe(2);
      expect(worker.output).toContain(given[index]?.why);
    }
  });

  test('who is refused by a server that was set up anew waits until that is mended', async () => {
    const server = stack.use(await NatsServer.configured(configOf('right')));
    const login = byPassword('right');
    const worker = spawnWorker(server, login);
    await worker.says('"event":"ready"');
    const executor = executorOver(server, login);
    expect(valueOf(await executor.run({ code: 'return 1' }))).toBe(1);
    await server.kill();
    server.configure(configOf('wrong'));
    await server.run();
    const run = executor.run({ code: 'return 2' });
    // Without the outage, the executor would report the worker as lost after six seconds.
    await delay(7000);
    await worker.says('"event":"error","message":"Authorization Violation"');
    await server.kill();
    server.configure(configOf('right'));
    await server.run();
    expect(valueOf(await run)).toBe(2);
  });
});
