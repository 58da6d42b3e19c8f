import type { GuestConfig, RunMessage } from '@glovebox/protocol/guest-messages';
import type { SlotSettings } from '@glovebox/protocol/host-messages';
import type { Job } from '@glovebox/protocol/job';
import { guestLimitsOf } from '@glovebox/protocol/limits';
import type { RunEvent, SlotOutcome, SyntaxFailure } from '@glovebox/protocol/slot-messages';

import { recover } from './compile.ts';
import type { GuestIsolate } from './guest-isolate.ts';
import type { Persistent } from './persist-declarations.ts';
import { stripTypes } from './strip-types.ts';

/** How long a guest may go on after its end is known, before its isolate is disposed. */
const AFTERMATH_MS = 2;
/** How long a disposed isolate may take to stand still, before its process is given up. */
const STANDSTILL_MS = 40;
const TOO_DEEP = 'The TypeScript is nested too deeply.';
/** Unhandled rejections of one run that are logged: a guest can make any number of them. */
const MAX_REJECTIONS = 16;
/** Characters of an error's message that are passed on. */
const MAX_MESSAGE = 2000;
/** Timers may be early by this much. */
const TIMER_SLACK_MS = 2;
/** How often CPU time is read, where its limit is below the wall limit. */
const CPU_CHECK_MS = 10;
/** The same where the wall limit comes first, unless the executor lets its clock stand still. */
const RARE_CPU_CHECK_MS = 250;

/** One run in one isolate: from the first command to the point where nothing of it moves. */
export class IsolateRun {
  readonly #job: Job;
  readonly #guest: GuestIsolate;
  readonly #persist: (code: string) => Persistent;
  readonly #emit: (event: RunEvent) => void;
  readonly #settings: SlotSettings;
  readonly #cpuAtStart: bigint;
  readonly #done = Promise.withResolvers<SlotOutcome>();
  #end: Pick<SlotOutcome, 'end' | 'text'> | undefined;
  #condemned = false;
  #deliveries = 0;
  #rejections = 0;
  #heapBytes = 0;
  #wake: NodeJS.Timeout | undefined;
  #aftermath: NodeJS.Timeout | undefined;
  #cpuCheck: NodeJS.Timeout | undefined;
  #source = '';

  constructor(
    job: Job,
    guest: GuestIsolate,
    settings: SlotSettings,
    persist: (code: string) => Persistent,
    emit: (event: RunEvent) => void,
  ) {
    this.#job = job;
    this.#guest = guest;
    this.#settings = settings;
    this.#persist = persist;
    this.#emit = emit;
    this.#cpuAtStart = guest.isolate.cpuTime;
  }

  /** Runs the job; resolves when the isolate stands still. Never rejects. */
  run(): Promise<SlotOutcome> {
    this.#guest.onMessage = (...message) => this.#receive(message);
    this.#guest.onCatastrophe = (message) => {
      // The isolate's own thread is parked for good: nothing that was delivered will come back.
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
    if (this.#end === undefined) this.#watchCpu();
    return this.#done.promise;
  }

  /** Answers a tool call. */
  reply(callId: number, ok: boolean, text: string): void {
    if (this.#end === undefined) this.#deliver(['reply', callId, ok, text]);
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
   * The limit here is for one stretch of code that does not give way, and a second line at that:
   * the run's clock is the executor's, which also knows when it stands still.
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
    if (this.#end !== undefined && this.#deliveries === 0) this.#finish();
  }

  /** @param isTimeUp Whether the stretch of code has had all the time that it may take. */
  #rejected(error: unknown, isTimeUp: boolean): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#guest.isolate.isDisposed) {
      // Out of memory is the only reason for which isolated-vm disposes an isolate by itself.
      this.#settle('memory', message);
    } else if (message.startsWith('Script execution timed out') && isTimeUp) {
      // The clock has to agree: an unhandled rejection of the guest has the text that it likes.
      this.#settle('stopped', message);
      // What it was in the middle of may be left half done: nothing else runs in this isolate.
      this.#dispose();
    } else {
      // A promise of the guest was rejected and nobody heard: the run itself may still go well.
      if (++this.#rejections <= MAX_REJECTIONS) {
        this.#log('error', `Unhandled rejection: ${message.slice(0, MAX_MESSAGE)}`);
      }
    }
    this.#delivered();
  }

  #receive(message: RunMessage): void {
    if (this.#end !== undefined) return;
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
        clearTimeout(this.#wake);
        this.#wake = setTimeout(() => {
          if (this.#end === undefined) this.#deliver(['tick']);
        }, message[1]);
        break;
      case 'syntax':
        void this.#recover(message[1]);
        break;
    }
  }

  #log(level: string, text: string): void {
    // Frames are UTF-8: half a surrogate pair would not come out as it went in.
    this.#emit({ type: 'log', level, text: text.toWellFormed() });
  }

  async #recover(message: string): Promise<void> {
    // Counts as a delivery, so that the run does not end while the isolate compiles.
    this.#deliveries++;
    const next = await recover(this.#guest.isolate, this.#job, this.#source, message);
    if ('code' in next && this.#end === undefined) this.#start(next.code);
    else if ('failure' in next) this.#failToCompile(next.failure, next.broken === true);
    this.#delivered();
  }

  /** @param broken The thread cannot read TypeScript any more, and must be replaced. */
  #failToCompile(failure: SyntaxFailure, broken = false): void {
    if (broken) this.#condemned = true;
    // V8 quotes the source, which may be one endless word.
    const message = failure.message.slice(0, MAX_MESSAGE);
    this.#settle('syntax', JSON.stringify({ ...failure, message }));
  }

  #settle(end: SlotOutcome['end'], text: string): void {
    if (this.#end !== undefined) return;
    this.#end = { end, text };
    clearTimeout(this.#wake);
    clearInterval(this.#cpuCheck);
    if (this.#guest.actsByItself) this.#askForHeap();
    // Delivered commands come back at once, unless guest code is still busy after its end. What a
    // session's guest does in the background may take until the wall limit: its isolate is needed.
    if (this.#deliveries === 0) this.#finish();
    else if (!this.#settings.session || end === 'stopped') {
      this.#aftermath = setTimeout(() => this.#dispose(), AFTERMATH_MS);
    }
  }

  /**
   * Asks for the size of the heap, behind whatever the isolate is at. It counts as a delivery: an
   * isolate that does not answer, because a finalizer of the guest has it, does not stand still.
   */
  #askForHeap(): void {
    if (this.#condemned || this.#guest.isolate.isDisposed) return;
    this.#deliveries++;
    const take = (bytes: number): void => {
      this.#heapBytes = bytes;
      this.#delivered();
    };
    this.#guest.isolate.getHeapStatistics().then(
      ({ used_heap_size: bytes }) => take(bytes),
      () => take(0),
    );
  }

  /** The size of the heap of an isolate that stands still: this thread waits for it. */
  #heapOfStill(): number {
    const { isolate, actsByItself } = this.#guest;
    if (this.#condemned || actsByItself || isolate.isDisposed) return this.#heapBytes;
    try {
      return isolate.getHeapStatisticsSync().used_heap_size;
    } catch {
      // isolated-vm gave it up this very moment, for its memory.
      return 0;
    }
  }

  #watchCpu(): void {
    const { cpuMs, wallMs } = this.#job.limits;
    const checkMs = cpuMs < wallMs ? CPU_CHECK_MS : RARE_CPU_CHECK_MS;
    this.#cpuCheck = setInterval(() => this.#checkCpu(), checkMs);
  }

  #checkCpu(): void {
    if (this.#cpuMs() <= this.#job.limits.cpuMs) return;
    this.#settle('cpu', '');
    this.#dispose();
  }

  #cpuMs(): number {
    // Reading it from a disposed isolate throws.
    if (this.#guest.isolate.isDisposed) return 0;
    return Number(this.#guest.isolate.cpuTime - this.#cpuAtStart) / 1e6;
  }

  #dispose(): void {
    if (!this.#guest.isolate.isDisposed) this.#guest.isolate.dispose();
    clearTimeout(this.#aftermath);
    // Some loops survive it: those in builtins, and in what isolated-vm itself reads of an error.
    this.#aftermath = setTimeout(() => {
      this.#condemned = true;
      this.#finish();
    }, STANDSTILL_MS);
  }

  #finish(): void {
    if (this.#end === undefined) return;
    clearTimeout(this.#aftermath);
    const cpuMs = this.#cpuMs();
    // Asking there and back through the isolate's thread would take as long as all else of a short run.
    const heapBytes = this.#heapOfStill();
    this.#done.resolve({ ...this.#end, cpuMs, heapBytes, condemned: this.#condemned });
  }
}
