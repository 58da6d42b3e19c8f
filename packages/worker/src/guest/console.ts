import { inspect } from './inspect.ts';
import { StringSlice } from './intrinsics.ts';
import { cutToBytes, utf8Bytes } from './utf8.ts';

/** Bytes that each line costs in addition to its text, so that empty lines are not free. */
const LINE_OVERHEAD = 16;

export interface GuestConsole {
  /** The object that guest code sees as `console`. */
  readonly console: object;
  /** Starts a run with a new budget for log text, in bytes. */
  begin(bytes: number): void;
  /** Writes a line of the runtime itself. */
  write(level: string, args: readonly unknown[], label?: string): void;
}

/**
 * Creates `console` for guest code. Text over the budget is dropped with one warning, and the run
 * continues.
 *
 * @param emit Receives each line.
 */
export function createConsole(emit: (level: string, text: string) => void): GuestConsole {
  let left = 0;
  let indent = '';

  function write(level: string, args: readonly unknown[], label = ''): void {
    if (left <= 0) return;
    let text = indent + label;
    for (let index = 0; index < args.length; index++) {
      if (index > 0 || label !== '') text += ' ';
      text += inspect(args[index]);
      if (text.length > left) break;
    }
    const bytes = utf8Bytes(text, left) + LINE_OVERHEAD;
    if (bytes < left) {
      left -= bytes;
      emit(level, text);
      return;
    }
    const rest = left - LINE_OVERHEAD;
    left = 0;
    emit(level, `${cutToBytes(text, rest > 0 ? rest : 0)}…`);
    emit('warn', '[log limit reached: later output is dropped]');
  }

  const logAt =
    (level: string) =>
    (...args: unknown[]): void =>
      write(level, args);
  const console: Record<string, (...args: unknown[]) => void> = {
    log: logAt('info'),
    info: logAt('info'),
    dir: (value) => write('info', [value]),
    table: (value) => write('info', [value]),
    debug: logAt('debug'),
    trace: logAt('debug'),
    warn: logAt('warn'),
    error: logAt('error'),
    assert: (condition, ...args) => {
      if (!condition) write('error', args, 'Assertion failed');
    },
    group: (...args) => {
      if (args.length > 0) write('info', args);
      if (indent.length < 40) indent += '  ';
    },
    groupEnd: () => {
      indent = StringSlice(indent, 2);
    },
  };
  return {
    console,
    begin(bytes) {
      left = bytes;
      indent = '';
    },
    write,
  };
}
