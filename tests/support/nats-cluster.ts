import { jetstreamManager } from '@nats-io/jetstream';
import type { ClusterInfo } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

import { findPort, NatsServer } from './nats.ts';
import { until } from './processes.ts';

/** Three servers on loopback that know each other, and keep streams together. */
export class NatsCluster implements AsyncDisposable {
  readonly #servers: ReadonlyMap<string, NatsServer>;
  /** Where servers tell whether they have caught up with the others. */
  readonly #health: string[] = [];

  private constructor(servers: ReadonlyMap<string, NatsServer>) {
    this.#servers = servers;
  }

  static async start(): Promise<NatsCluster> {
    const names = ['n1', 'n2', 'n3'];
    const ports = await Promise.all(names.map(() => findPort()));
    const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
    const servers = new Map<string, NatsServer>();
    const cluster = new NatsCluster(servers);
    try {
      for (const [index, name] of names.entries()) {
        const route = routes[index] ?? '';
        const monitor = await findPort();
        cluster.#health.push(`http://127.0.0.1:${monitor}/healthz`);
        const flags = ['--server_name', name, '--cluster_name', 'c', '--cluster', route];
        const more = ['--routes', routes.join(','), '-m', `${monitor}`];
        servers.set(name, await NatsServer.start([...flags, ...more]));
      }
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
    return cluster;
  }

  get names(): readonly string[] {
    return [...this.#servers.keys()];
  }

  get urls(): string[] {
    return Array.from(this.#servers.values(), ({ url }) => url);
  }

  server(name: string): NatsServer {
    const server = this.#servers.get(name);
    if (server === undefined) throw new Error(`There is no ${name}.`);
    return server;
  }

  /** Resolves with who leads a stream, when all servers have all of it, and of its consumers. */
  async complete(stream: string): Promise<string> {
    let leads: string | undefined;
    await until(async () => {
      if (!(await this.#isHealthy())) return false;
      // While nobody leads, nobody answers.
      const groups = await this.#groupsOf(stream).catch(() => []);
      leads = groups[0]?.leader;
      return (
        groups.every(({ leader, replicas = [] }) => {
          const followers = replicas.filter(({ current, offline }) => current && !offline);
          return leader !== undefined && followers.length === this.#servers.size - 1;
        }) && leads !== undefined
      );
    }, 20_000);
    return leads ?? '';
  }

  async #isHealthy(): Promise<boolean> {
    const answers = this.#health.map((url) => fetch(url).catch(() => undefined));
    return (await Promise.all(answers)).every((answer) => answer?.ok === true);
  }

  /** Who keeps a stream, and who its consumers. */
  async #groupsOf(stream: string): Promise<readonly Partial<ClusterInfo>[]> {
    const connection = await connect({ servers: this.urls });
    try {
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: 1000 });
      const { cluster = {} } = await manager.streams.info(stream);
      const consumers = await manager.consumers.list(stream).next();
      return [cluster, ...consumers.map((consumer) => consumer.cluster ?? {})];
    } finally {
      await connection.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      Array.from(this.#servers.values(), (server) => server[Symbol.asyncDispose]()),
    );
  }
}
