import { inspect } from './inspect.ts';
import { StringSlice } from './intrinsics.ts';

/** A line costs this much of the log budget besides its text: an empty one is not free either. */
const LINE_OVERHEAD = 16;

export interface GuestConsole {
  /** The object that guest code sees as `console`. */
  readonly console: object;
  /** Starts a new budget of so many bytes of log text. */
  begin(bytes: number): void;
  /** Writes a line as the runtime itself. */
  write(level: string, args: readonly unknown[], label?: string): void;
}

/**
 * `console` for guest code. Text past the budget is cut, and said to be cut once; the run goes on.
 *
 * @param emit Takes each line.
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
    if (text.length + LINE_OVERHEAD < left) {
      left -= text.length + LINE_OVERHEAD;
      emit(level, text);
      return;
    }
    emit(level, `${StringSlice(text, 0, left > LINE_OVERHEAD ? left - LINE_OVERHEAD : 0)}…`);
    left = 0;
    emit('warn', '[log limit reached: later output is dropped]');
  }

  const at =
    (level: string) =>
    (...args: unknown[]): void =>
      write(level, args);
  const console: Record<string, (...args: unknown[]) => void> = {
    log: at('info'),
    info: at('info'),
    dir: (value) => write('info', [value]),
    table: (value) => write('info', [value]),
    debug: at('debug'),
    trace: at('debug'),
    warn: at('warn'),
    error: at('error'),
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
