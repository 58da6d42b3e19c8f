import { expect, test } from 'vitest';

import { WorkerProcess } from '../support/nats-worker.ts';
import { describeNats, NatsServer } from '../support/nats.ts';
import { finish, startScript } from '../support/script.ts';

describeNats('the example of many machines', () => {
  test('runs on workers that were started before', async () => {
    await using server = await NatsServer.start();
    await using first = await WorkerProcess.start(server.url, 'w1');
    await using second = await WorkerProcess.start(server.url, 'w2');
    const example = startScript('examples/many-machines/main.ts', [], { NATS_URL: server.url });
    const { code, stdout, stderr } = await finish(example);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['4', '10', '16']);
    const names = [first.name, second.name].join('|');
    for (const line of lines) expect(line).toMatch(new RegExp(`ran on (${names})/`));
  });
});
