import type { GuestConfig, RunMessage } from '@glovebox/protocol/guest-messages';
import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { guestLimitsOf } from '@glovebox/protocol/limits';
import type { RunEvent, SlotOutcome, SyntaxFailure } from '@glovebox/protocol/slot-messages';

import { recover } from './compile.ts';
import type { GuestIsolate } from './guest-isolate.ts';
import type { PersistentSource } from './persist-declarations.ts';
import { stripTypes } from './strip-types.ts';

/** How long guest code may keep running after the run has ended, until its isolate is disposed. */
const GRACE_AFTER_END_MS = 2;
/** How long a disposed isolate may take to stop, until its slot is condemned. */
const GRACE_AFTER_DISPOSE_MS = 40;
const TOO_DEEP = 'The TypeScript is nested too deeply.';
/** The most unhandled rejections of one run that are logged; a guest can cause any number. */
const MAX_REJECTIONS = 16;
/** The most characters of an error message that are passed on. */
const MAX_MESSAGE = 2000;
/** Timers may fire this much too early. */
const TIMER_SLACK_MS = 2;
/** How often CPU time is checked if its limit is below the wall limit. */
const CPU_CHECK_MS = 10;
/**
 * How often CPU time is checked otherwise. The wall limit is then reached first, except while the
 * executor has paused the wall clock.
 */
const RARE_CPU_CHECK_MS = 250;

/** One run in one isolate, from the first command until no code of the run is executing any more. */
export class IsolateRun {
  readonly #job: Job;
  readonly #guest: GuestIsolate;
  readonly #persist: (code: string) => PersistentSource;
  readonly #emit: (event: RunEvent) => void;
  readonly #settings: SlotSettings;
  readonly #cpuAtStart: bigint;
  readonly #done = Promise.withResolvers<SlotOutcome>();
  /** How the run ended, once that is decided. Guest code may still be executing. */
  #ending: Pick<SlotOutcome, 'end' | 'text'> | undefined;
  /** See {@link SlotOutcome.condemned}. */
  #condemned = false;
  /** Commands and requests that the isolate has not completed yet. */
  #deliveries = 0;
  #rejections = 0;
  #heapBytes = 0;
  #wakeTimer: NodeJS.Timeout | undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #cpuTimer: NodeJS.Timeout | undefined;
  #source = '';

  constructor(
    job: Job,
    guest: GuestIsolate,
    settings: SlotSettings,
    persist: (code: string) => PersistentSource,
    emit: (event: RunEvent) => void,
  ) {
    this.#job = job;
    this.#guest = guest;
    this.#settings = settings;
    this.#persist = persist;
    this.#emit = emit;
    this.#cpuAtStart = guest.isolate.cpuTime;
  }

  /** Runs the job. Resolves when the isolate has stopped executing, and never rejects. */
  run(): Promise<SlotOutcome> {
    this.#guest.onMessage = (...message) => this.#receive(message);
    this.#guest.onCatastrophicError = (message) => {
      // The isolate's own thread is blocked for ever, so no delivery will ever complete.
      this.#condemned = true;
      this.#settle(/terminate/.test(message) ? 'stopped' : 'memory', message);
      this.#finish();
    };
    if (this.#job.language === 'typescript') {
      const stripped = stripTypes(this.#job.code);
      if ('code' in stripped) this.#start(stripped.code);
      else if ('broken' in stripped) this.#failToCompile({ message: TOO_DEEP }, true);
      else this.#failToCompile(stripped);
    } else {
      this.#start(this.#job.code);
    }
    if (this.#ending === undefined) this.#watchCpu();
    return this.#done.promise;
  }

  /** Answers a tool call. */
  reply(callId: number, ok: boolean, text: string): void {
    if (this.#ending === undefined) this.#deliver(['reply', callId, ok, text]);
  }

  /** Ends the run from outside. */
  stop(): void {
    this.#settle('stopped', '');
    this.#dispose();
  }

  #start(source: string): void {
    const { limits } = this.#job;
    this.#source = source;
    const { code, names } = this.#persist(source);
    const config: GuestConfig = {
      filename: this.#job.filename,
      tools: this.#job.tools,
      declare: names,
      ...guestLimitsOf(limits),
      deterministic: this.#job.deterministic,
    };
    this.#deliver(['start', code, this.#job.variables, JSON.stringify(config)]);
  }

  /**
   * The time limit here applies to one uninterrupted stretch of guest code, and is a second line of
   * defence: the executor measures the wall time of the run, and knows when that clock is paused.
   */
  #deliver(command: Parameters<GuestIsolate['deliver']>[0]): void {
    const { wallMs } = this.#job.limits;
    const deliveredAt = performance.now();
    this.#deliveries++;
    this.#guest.deliver(command, wallMs).then(
      () => this.#delivered(),
      (error: unknown) =>
        this.#rejected(error, performance.now() - deliveredAt >= wallMs - TIMER_SLACK_MS),
    );
  }

  #delivered(): void {
    this.#deliveries--;
    if (this.#ending !== undefined && this.#deliveries === 0) this.#finish();
  }

  /** @param isTimeUp Whether the delivery has taken as long as the wall limit allows. */
  #rejected(error: unknown, isTimeUp: boolean): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#guest.isolate.isDisposed) {
      // isolated-vm disposes an isolate by itself only when it is out of memory.
      this.#settle('memory', message);
    } else if (message.startsWith('Script execution timed out') && isTimeUp) {
      // The text alone proves nothing: an unhandled rejection of the guest can have any message.
      this.#settle('stopped', message);
      // The code was interrupted, so the state of the isolate may be inconsistent: do not reuse it.
      this.#dispose();
    } else {
      // An unhandled rejection of the guest. The run itself may still succeed.
      if (++this.#rejections <= MAX_REJECTIONS) {
        this.#log('error', `Unhandled rejection: ${message.slice(0, MAX_MESSAGE)}`);
      }
    }
    this.#delivered();
  }

  #receive(message: RunMessage): void {
    if (this.#ending !== undefined) return;
    switch (message[0]) {
      case 'end':
        this.#settle('value', message[1]);
        break;
      case 'fail':
        this.#settle('failure', message[1]);
        break;
      case 'log':
        this.#log(message[1], message[2]);
        break;
      case 'call':
        this.#emit({ type: 'call', callId: message[1], tool: message[2], text: message[3] });
        break;
      case 'wake':
        clearTimeout(this.#wakeTimer);
        this.#wakeTimer = setTimeout(() => {
          if (this.#ending === undefined) this.#deliver(['tick']);
        }, message[1]);
        break;
      case 'syntax':
        void this.#recover(message[1]);
        break;
    }
  }

  #log(level: string, text: string): void {
    // Frames are UTF-8, which cannot represent a lone surrogate.
    this.#emit({ type: 'log', level, text: text.toWellFormed() });
  }

  async #recover(message: string): Promise<void> {
    // Counted as a delivery, so that the run does not end while the isolate compiles.
    this.#deliveries++;
    const next = await recover(this.#guest.isolate, this.#job, this.#source, message);
    if ('code' in next && this.#ending === undefined) this.#start(next.code);
    else if ('failure' in next) this.#failToCompile(next.failure, next.broken === true);
    this.#delivered();
  }

  /** @param broken Whether the type stripper failed, so that the thread must be replaced. */
  #failToCompile(failure: SyntaxFailure, broken = false): void {
    if (broken) this.#condemned = true;
    // V8 quotes the source in the message, and a token may have any length.
    const message = failure.message.slice(0, MAX_MESSAGE);
    this.#settle('syntax', JSON.stringify({ ...failure, message }));
  }

  #settle(end: SlotOutcome['end'], text: string): void {
    if (this.#ending !== undefined) return;
    this.#ending = { end, text };
    clearTimeout(this.#wakeTimer);
    clearInterval(this.#cpuTimer);
    if (this.#guest.runsBetweenCommands) this.#requestHeapSize();
    // Deliveries complete at once, unless guest code is still executing. In a session, background
    // work of the guest may continue until the wall limit, because the isolate is still needed.
    if (this.#deliveries === 0) this.#finish();
    else if (!this.#settings.session || end === 'stopped') {
      this.#graceTimer = setTimeout(() => this.#dispose(), GRACE_AFTER_END_MS);
    }
  }

  /**
   * Requests the heap size; the isolate answers after its current work. The request is counted as a
   * delivery: while the isolate does not answer, for example because a finalizer of the guest is
   * executing, the run has not stopped.
   */
  #requestHeapSize(): void {
    if (this.#condemned || this.#guest.isolate.isDisposed) return;
    this.#deliveries++;
    const onHeapSize = (bytes: number): void => {
      this.#heapBytes = bytes;
      this.#delivered();
    };
    this.#guest.isolate.getHeapStatistics().then(
      ({ used_heap_size: bytes }) => onHeapSize(bytes),
      () => onHeapSize(0),
    );
  }

  /** The heap size of an isolate that executes nothing. Blocks this thread. */
  #heapSizeOfIdle(): number {
    const { isolate, runsBetweenCommands } = this.#guest;
    if (this.#condemned || runsBetweenCommands || isolate.isDisposed) return this.#heapBytes;
    try {
      return isolate.getHeapStatisticsSync().used_heap_size;
    } catch {
      // isolated-vm has disposed it just now, because it is out of memory.
      return 0;
    }
  }

  #watchCpu(): void {
    const { cpuMs, wallMs } = this.#job.limits;
    const checkMs = cpuMs < wallMs ? CPU_CHECK_MS : RARE_CPU_CHECK_MS;
    this.#cpuTimer = setInterval(() => this.#checkCpu(), checkMs);
  }

  #checkCpu(): void {
    if (this.#cpuMs() <= this.#job.limits.cpuMs) return;
    this.#settle('cpu', '');
    this.#dispose();
  }

  #cpuMs(): number {
    // `cpuTime` of a disposed isolate throws.
    if (this.#guest.isolate.isDisposed) return 0;
    return Number(this.#guest.isolate.cpuTime - this.#cpuAtStart) / 1e6;
  }

  #dispose(): void {
    if (!this.#guest.isolate.isDisposed) this.#guest.isolate.dispose();
    clearTimeout(this.#graceTimer);
    // Some loops survive `dispose`: those in built-in functions, and in getters of an error that
    // isolated-vm itself reads.
    this.#graceTimer = setTimeout(() => {
      this.#condemned = true;
      this.#finish();
    }, GRACE_AFTER_DISPOSE_MS);
  }

  #finish(): void {
    if (this.#ending === undefined) return;
    clearTimeout(this.#graceTimer);
    const cpuMs = this.#cpuMs();
    // Sync, because the async call would take as long as the rest of a short run.
    const heapBytes = this.#heapSizeOfIdle();
    this.#done.resolve({ ...this.#ending, cpuMs, heapBytes, condemned: this.#condemned });
  }
}
