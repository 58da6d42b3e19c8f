import type { NatsWorker } from '../../nats/worker-side/nats-worker.ts';
import type { WorkerEvent } from '../../nats/worker-side/worker-options.ts';

interface Metric {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  /** Values by their labels. The key of a value without labels is empty. */
  readonly values: Readonly<Record<string, number>>;
}

/** The metrics of a worker, for monitoring. */
export class WorkerMetrics {
  readonly #runs: Record<string, number> = {};
  readonly #counts = { redelivered: 0, refused: 0, killed: 0, errors: 0, milliseconds: 0 };

  record(event: WorkerEvent): void {
    switch (event.type) {
      case 'run': {
        const label = `end="${event.end}"`;
        this.#runs[label] = (this.#runs[label] ?? 0) + 1;
        this.#counts.milliseconds += event.ms;
        if (event.attempt > 1) this.#counts.redelivered++;
        return;
      }
      case 'refused':
        this.#counts.refused++;
        return;
      case 'killed':
        this.#counts.killed++;
        return;
      case 'error':
        this.#counts.errors++;
        return;
      case 'waiting':
      case 'connected':
      case 'disconnected':
      case 'draining':
    }
  }

  /** All metrics in the text format of Prometheus; only counters before the worker has started. */
  print(worker: NatsWorker | undefined): string {
    const counts = this.#counts;
    const metrics: Metric[] = [
      counter('runs_total', 'Runs, by how they ended.', this.#runs),
      counter('run_seconds_total', 'Time for which runs held slots.', counts.milliseconds / 1000),
      counter('redelivered_total', 'Runs that were delivered more than once.', counts.redelivered),
      counter('refused_total', 'Messages that could not be read.', counts.refused),
      counter('kills_total', 'Hosts and workers killed by code, in the whole pool.', counts.killed),
      counter('errors_total', 'Errors of the stream or the connection.', counts.errors),
    ];
    if (worker !== undefined) {
      const { hosts, hostsLost } = worker.stats();
      metrics.push(
        counter('hosts_lost_total', 'Host processes that were killed or crashed.', hostsLost),
        gauge('connected', 'Whether a server is connected: 1 or 0.', worker.isConnected ? 1 : 0),
        gauge(
          'draining',
          'Whether the worker drains and takes no new runs: 1 or 0.',
          worker.isDraining ? 1 : 0,
        ),
        gauge('hosts', 'Host processes that can run code.', hosts),
        gauge('busy', 'Runs in progress.', worker.busy),
        gauge('sessions', 'Open sessions.', worker.sessions),
      );
    }
    return metrics.map(print).join('');
  }
}

function counter(name: string, help: string, value: number | Metric['values']): Metric {
  return metric(name, 'counter', help, value);
}

function gauge(name: string, help: string, value: number): Metric {
  return metric(name, 'gauge', help, value);
}

function metric(
  name: string,
  type: Metric['type'],
  help: string,
  value: number | Metric['values'],
): Metric {
  const values = typeof value === 'number' ? { '': value } : value;
  return { name: `glovebox_worker_${name}`, type, help, values };
}

function print({ name, type, help, values }: Metric): string {
  const lines = Object.entries(values).map(([labels, value]) =>
    labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}
