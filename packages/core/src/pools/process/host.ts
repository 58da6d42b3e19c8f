import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import { FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import { MAX_HOST_EVENT_BYTES } from '@glovebox/protocol/frame-limits';
import { hostEventSchema } from '@glovebox/protocol/host-messages';
import type { HostEvent, HostSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { HOST_PIPE, slotPipe } from '@glovebox/protocol/pipes';
import type { SlotOutcome } from '@glovebox/protocol/slot-messages';
import { PROTOCOL_VERSION } from '@glovebox/protocol/versions';

import { debugLog, inOneLine, ms } from '../../shared/debug-log.ts';
import type { OutcomeCode } from '../../shared/errors.ts';
import { messageOf } from '../../shared/message-of.ts';
import type { JobHandle, JobObserver, PoolFailure } from '../worker-pool.ts';
import { HostSlot } from './host-slot.ts';
import type { RunInSlot } from './host-slot.ts';
import { launchHost } from './launch-host.ts';
import type { LaunchOptions } from './launch-host.ts';

/** How long a host may take to start. */
const BOOT_MS = 15_000;
/** How much of the end of a host's standard error is kept, to report why it died. */
const STDERR_BYTES = 16 * 1024;

export type HostState = 'starting' | 'ready' | 'gone';

/** Receives the events of one host. */
export interface HostObserver {
  onReady(facts: HostFacts): void;
  /** A slot got free. */
  onFree(): void;
  /** The host reports its resident memory, in bytes. */
  onMemory(bytes: number): void;
  /** The host is gone and its runs have ended. Called once. */
  onGone(reason: HostDeath): void;
}

/** What a host reports about itself when it is ready. */
export interface HostFacts {
  readonly node: string;
  readonly isolatedVm: string;
  /** Scopes that Node's permission model still allows. */
  readonly allowed: readonly string[];
}

/** Why a host is gone. */
export interface HostDeath {
  readonly code: OutcomeCode;
  readonly message: string;
  readonly limit?: number;
  readonly used?: number;
  readonly cause?: unknown;
  /** Whether the host died before it was ready. */
  readonly duringBoot: boolean;
  /** The job that caused the death of the host, if that is known. */
  readonly culprit?: Job | undefined;
}

/**
 * The parent's side of one *host*: a child process that runs untrusted code in one or more *slots*,
 * each of which runs one job at a time. A host is expendable: it is killed whenever its state is in
 * doubt.
 */
export class Host {
  readonly id: string;
  readonly #observer: HostObserver;
  readonly #child: ChildProcess;
  readonly #pipe: Socket | undefined;
  readonly #reader = new FrameReader(MAX_HOST_EVENT_BYTES);
  readonly #slots: readonly HostSlot[];
  readonly #bootTimer: NodeJS.Timeout;
  readonly #exited = Promise.withResolvers<void>();
  readonly #launchedAt = performance.now();
  #state: HostState = 'starting';
  #stderr = '';
  #lastRun = 0;
  /** Number of the run that the host was killed to end. */
  #killedFor: number | undefined;
  /** See {@link HostDeath.culprit}. */
  #culprit: Job | undefined;

  constructor(id: string, settings: HostSettings, launch: LaunchOptions, observer: HostObserver) {
    this.id = id;
    this.#observer = observer;
    this.#child = launchHost(settings, launch);
    this.#pipe = this.#pipeAt(HOST_PIPE);
    this.#slots = Array.from(
      { length: settings.slots },
      (_, slot) =>
        new HostSlot(this.#pipeAt(slotPipe(slot)), {
          onEnd: (ended, outcome) => this.#onEnd(ended, outcome),
          onBreach: (cause) => this.#onBreach(cause),
        }),
    );
    this.#bootTimer = setTimeout(() => {
      this.#die('HOST_LOST', `The host did not start within ${BOOT_MS} ms.`);
    }, BOOT_MS);

    this.#child.on('error', (cause) =>
      this.#die('HOST_LOST', 'The host did not start.', { cause }),
    );
    this.#child.on('exit', (code, signal) => this.#onExit(code, signal));
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-STDERR_BYTES);
    });
    this.#pipe?.on('data', (chunk: Buffer) => this.#onData(chunk));
    // Writing to a host that died fails. The `exit` event of the process handles its death.
    this.#pipe?.on('error', () => undefined);
    // An idle host must not keep this process alive. The clock of a run does so while it lasts.
    this.#child.unref();
    this.#pipe?.unref();
    if (this.#child.stderr instanceof Socket) this.#child.stderr.unref();
    if (debugLog.enabled) this.#log(`started, slots: ${settings.slots}`);
  }

  get state(): HostState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Number of slots that can start a job now. */
  get free(): number {
    return this.#state === 'ready' ? this.#slots.length - this.busy : 0;
  }

  /** Number of slots that are executing a run. */
  get busy(): number {
    return this.#slots.reduce((sum, { current }) => sum + (current === undefined ? 0 : 1), 0);
  }

  /**
   * Starts a job.
   *
   * @throws {RangeError} The host has no free slot.
   */
  run(job: Job, observer: JobObserver): JobHandle {
    const slot = this.#slots.find(({ current }) => current === undefined);
    if (slot === undefined) throw new RangeError('The host has no free slot.');
    const run = ++this.#lastRun;
    // First of all, so that the host wakes up while this process does the rest.
    slot.start(run, job, observer);
    observer.onStart(this.id);
    return {
      reply: (callId, ok, text) => slot.reply(run, callId, ok, text),
      stop: () => slot.stop(run),
      kill: (why) => {
        if (slot.current?.run !== run) return;
        if (debugLog.enabled) this.#log(`killed to end run ${run}: ${why}`);
        this.#killedFor = run;
        if (why !== 'abort') this.#culprit = job;
        this.kill('HOST_LOST', 'The host was killed to end another run in it.');
      },
    };
  }

  /** Kills the process. Every run in it ends with the given failure. */
  kill(code: OutcomeCode, message: string, details: { limit?: number; used?: number } = {}): void {
    this.#die(code, message, details);
  }

  /** Resolves when the process has exited. */
  exited(): Promise<void> {
    this.#child.ref();
    return this.#exited.promise;
  }

  /** A pipe of the child process; undefined if the process could not be started. */
  #pipeAt(fd: number): Socket | undefined {
    const pipe = this.#child.stdio[fd];
    return pipe instanceof Socket ? pipe : undefined;
  }

  #onData(chunk: Buffer): void {
    if (this.#state === 'gone') return;
    try {
      for (const frame of this.#reader.push(chunk)) {
        this.#receive(frame);
        // Handling a frame may have killed the host.
        if ((this.#state as HostState) === 'gone') return;
      }
    } catch (cause) {
      this.#onBreach(cause);
    }
  }

  #onBreach(cause: unknown): void {
    this.#die('PROTOCOL_ERROR', 'The host sent an invalid message.', { cause });
  }

  #receive(frame: Frame): void {
    const event = hostEventSchema.parse(frame.header);
    switch (event.type) {
      case 'ready':
        this.#onReady(event);
        return;
      case 'memory':
        this.#observer.onMemory(event.bytes);
        return;
      case 'fatal':
        this.#die('HOST_LOST', 'The host failed.', { cause: new Error(frame.body) });
        return;
    }
  }

  #onReady(event: HostEvent & { type: 'ready' }): void {
    if (this.#state !== 'starting') throw new Error('The host sent "ready" twice.');
    if (event.protocol !== PROTOCOL_VERSION) {
      throw new Error(`The host uses protocol ${event.protocol}, not ${PROTOCOL_VERSION}.`);
    }
    clearTimeout(this.#bootTimer);
    this.#state = 'ready';
    if (debugLog.enabled) {
      const took = ms(performance.now() - this.#launchedAt);
      this.#log(`ready after ${took}, Node ${event.node}, isolated-vm ${event.isolatedVm}`);
    }
    this.#observer.onReady(event);
  }

  #onEnd({ run, job, observer }: RunInSlot, outcome: SlotOutcome): void {
    const { condemned, end } = outcome;
    if (condemned && debugLog.enabled) this.#log(`condemned by run ${run}: ${end}`);
    if (condemned && end !== 'memory') this.#culprit = job;
    observer.onEnd({ type: 'outcome', outcome });
    if (condemned) this.#die('HOST_LOST', 'Another run in the same host broke the host.');
    else if (this.#state === 'ready') this.#observer.onFree();
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    // After a turn of the event loop: output may still be in the pipes when the process has exited.
    void delay(0).then(() => {
      const how = signal === null ? `exited with code ${code}` : `was killed by ${signal}`;
      const stderr = this.#stderr.trim();
      if (debugLog.enabled) this.#log(`the process ${how}`);
      const cause = stderr === '' ? {} : { cause: new Error(stderr) };
      if (/heap out of memory|out of memory|OOM/i.test(stderr)) {
        this.#die('MEMORY_LIMIT', `The host ${how}: V8 ran out of memory.`, cause);
      } else {
        this.#die('HOST_LOST', `The host ${how}.`, cause);
      }
      this.#exited.resolve();
    });
  }

  #die(
    code: OutcomeCode,
    message: string,
    details: { limit?: number; used?: number; cause?: unknown } = {},
  ): void {
    if (this.#state === 'gone') return;
    const duringBoot = this.#state === 'starting';
    this.#state = 'gone';
    clearTimeout(this.#bootTimer);
    // Only SIGKILL always works: an isolate that V8 has lost control of survives everything else.
    if (this.#child.pid === undefined) this.#exited.resolve();
    else this.#child.kill('SIGKILL');
    this.#pipe?.destroy();
    const failure: PoolFailure = {
      type: 'failure',
      code,
      message,
      ran: code === 'HOST_LOST' ? 'maybe' : 'yes',
      ...details,
    };
    const running = this.#slots
      .map((slot) => slot.close())
      .filter((current) => current !== undefined);
    if (debugLog.enabled) {
      const { cause } = details;
      const why = cause === undefined ? message : `${message} ${messageOf(cause)}`;
      this.#log(`gone, current runs: ${running.length}, ${code}: ${why}`);
    }
    // If a host with exactly one run dies for an unknown reason, that run is the suspect.
    if (running.length === 1 && code !== 'MEMORY_LIMIT' && code !== 'ABORTED') {
      this.#culprit ??= this.#killedFor === undefined ? running[0]?.job : undefined;
    }
    for (const { run, observer } of running) {
      // The executor ordered the kill of this run and knows the reason.
      observer.onEnd(run === this.#killedFor ? { ...failure, ran: 'yes' } : failure);
    }
    this.#observer.onGone({ code, message, duringBoot, culprit: this.#culprit, ...details });
  }

  /** Call it only if `debugLog.enabled`. */
  #log(what: string): void {
    debugLog('%s (pid %s): %s', this.id, this.pid, inOneLine(what));
  }
}
