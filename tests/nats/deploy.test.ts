import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, findPort, NatsServer } from '../support/nats.ts';

const DEPLOY = path.join(import.meta.dirname, '../../deploy');
const COMMAND = 'node_modules/@glovebox/core/dist/cli/bin.js';

function read(file: string): string {
  return readFileSync(path.join(DEPLOY, file), 'utf8');
}

/** What the test reads of the manifest; whatever else it has, is not of the test. */
const statefulSet = z.object({
  kind: z.literal('StatefulSet'),
  spec: z.object({
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        automountServiceAccountToken: z.boolean(),
        securityContext: z.record(z.string(), z.unknown()),
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string() })),
            ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
            securityContext: z.record(z.string(), z.unknown()),
          }),
        ]),
      }),
    }),
  }),
});
const networkPolicy = z.object({
  kind: z.literal('NetworkPolicy'),
  spec: z.object({ podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }) }),
});

const manifests = parseAllDocuments(read('kubernetes/worker.yaml'));
const [set, policy] = z
  .tuple([statefulSet, networkPolicy])
  .parse(manifests.map((document) => document.toJS() as unknown));
const pod = set.spec.template.spec;
const [container] = pod.containers;

const dockerfile = read('container/Dockerfile').split('\n');
const unit = read('systemd/glovebox-worker.service').split('\n');

/** The last line that begins so, without its beginning. */
function lastOf(lines: readonly string[], start: string): string {
  const line = lines.findLast((each) => each.startsWith(start));
  if (line === undefined) throw new Error(`No line begins with ${start}`);
  return line.slice(start.length);
}

const entry = z.array(z.string()).parse(JSON.parse(lastOf(dockerfile, 'ENTRYPOINT ')));
const trial = /glovebox-worker (?:\\\n# +)?(--nats .+)/.exec(
  dockerfile.slice(0, 10).join('\n'),
)?.[1];
const service = lastOf(unit, 'ExecStart=').split(' ');

describe('the container', () => {
  test('runs the command of the package by Node itself, as nobody', () => {
    const manifest = z
      .object({ bin: z.object({ glovebox: z.string() }) })
      .parse(JSON.parse(readFileSync('packages/core/package.json', 'utf8')));
    expect(path.join('node_modules/@glovebox/core', manifest.bin.glovebox)).toBe(COMMAND);
    expect(entry.slice(0, 3)).toEqual(['node', COMMAND, 'worker']);
    expect(service.slice(0, 3)).toEqual(['/usr/bin/node', `/opt/glovebox/${COMMAND}`, 'worker']);
    expect(lastOf(dockerfile, 'USER ')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  });

  test('is shown with a read-only root, and without capabilities or new privileges', () => {
    const text = dockerfile.join('\n');
    for (const flag of ['--read-only', '--cap-drop ALL', '--security-opt no-new-privileges']) {
      expect(text).toContain(flag);
    }
  });
});

test('container and unit are in production, where hosts refuse a debugger', () => {
  expect(dockerfile).toContain('ENV NODE_ENV=production');
  // Kubernetes starts the same container; its manifest must not say otherwise.
  expect(container.env.map(({ name }) => name)).not.toContain('NODE_ENV');
  expect(unit).toContain('Environment=NODE_ENV=production');
});

describe('the Kubernetes manifest', () => {
  test('gives a worker no root, no writable root, no capabilities, no privileges, no token', () => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: expect.toSatisfy((user: number) => user > 0),
      runAsGroup: expect.toSatisfy((group: number) => group > 0),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('asks for health where the container tells of it, and bounds whom its pods speak to', () => {
    const port = container.ports.find(({ name }) => name === 'health')?.containerPort;
    expect(entry[entry.indexOf('--health') + 1]).toBe(`0.0.0.0:${port}`);
    expect(policy.spec.podSelector.matchLabels).toEqual(set.spec.template.metadata.labels);
  });

  test('knows all names that its flags hold', () => {
    const known = container.env.map(({ name }) => name);
    const used = Array.from(container.args.join(' ').matchAll(/\$\((\w+)\)/g), ([, name]) => name);
    expect(used).not.toEqual([]);
    expect(known).toEqual(expect.arrayContaining([...used, 'NATS_PASSWORD']));
  });
});

describe('the systemd unit', () => {
  test('gives a worker no root, no writable root, no capabilities, no privileges', () => {
    const settings = [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'AmbientCapabilities=',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'PrivateDevices=yes',
    ];
    expect(unit).toEqual(expect.arrayContaining(settings));
  });

  const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
  const why = hasSystemd ? '' : ' [there is no systemd-analyze]';
  test.skipIf(!hasSystemd)(`is one that systemd understands${why}`, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'glovebox-unit-'));
    try {
      const file = path.join(folder, 'glovebox-worker.service');
      const verify = (text: string): string => {
        writeFileSync(file, text);
        const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
          encoding: 'utf8',
        });
        // It looks at units of this machine as well.
        return `${stdout}${stderr}`
          .split('\n')
          .filter((line) => line.includes('glovebox'))
          .join('\n');
      };
      // Node may be elsewhere on this machine.
      const text = unit.join('\n').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/sh');
      expect(verify(text)).toBe('');
      expect(verify(text.replace('ProtectHome=', 'ProtectHouse='))).toContain('ProtectHouse');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describeNats('a worker', () => {
  test.each([
    ['the container is shown with', [...entry.slice(3), ...(trial?.split(' ') ?? [])]],
    ['the Kubernetes manifest has', [...entry.slice(3), ...container.args]],
    ['the systemd unit has', service.slice(3)],
  ])('starts with the flags that %s', async (_what, flags) => {
    const config = 'authorization { user: worker-1, password: secret }';
    await using server = await NatsServer.configured(config);
    const port = await findPort();
    const own = flags.map((flag) =>
      flag
        .replace(/nats:\/\/[\w.:]+|\$\{NATS_URL\}/, server.url)
        .replace(/\$[({](?:NATS_USER|POD_NAME)[)}]/, 'worker-1')
        .replace(/:8080$/, `:${port}`),
    );
    expect(own).toContain('--health');
    await using worker = WorkerProcess.command(own, { NATS_PASSWORD: 'secret' });
    await worker.says('"event":"ready","name":"worker-1"');
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  });
});
