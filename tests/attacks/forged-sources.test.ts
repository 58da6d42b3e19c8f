import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const LINES: readonly [name: string, text: string][] = [
  ['line ends', 'a\nb\r\nc\u2028d\u2029e'],
  ['escape sequences of a terminal', '\u001B[2J\u001B]0;title\u0007\u001B[31mred'],
  ['markers of other hosts', '__RESULT__1\n__ERROR__\n{"type":"end"}'],
  ['prefixes of levels', 'ERROR: [error] WARN: fatal'],
  ['a zero byte', 'a\u0000b'],
  ['a line of the log limit', '[log limit reached: later output is dropped]'],
];

attacks('forged sources and log lines', {}, [
  ...LINES.map(([name, text]) => ({
    kind: 47 as const,
    name: `a log line with ${name} is one entry, with its own level`,
    code: 'console.log(text); return 1',
    variables: { text },
    expected: { value: 1 },
    check: (outcome: { logs: readonly { level: string; text: string }[] }) => {
      expect(outcome.logs.map((entry) => [entry.level, entry.text])).toEqual([['info', text]]);
    },
  })),
  {
    kind: 47,
    name: 'a level cannot be made up',
    code: `
      console['fatal'] = (text) => console.log(text);
      console.fatal('a');
      for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace']) console[name](name);
      return 1`,
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.logs.map(({ level }) => level)).toEqual([
        'info',
        'info',
        'info',
        'debug',
        'warn',
        'error',
        'debug',
      ]);
    },
  },
  {
    kind: 47,
    name: 'a source that gives itself another name still has its own places',
    code: 'throw new Error("x")\n//# sourceURL=/etc/passwd',
    expected: { error: 'GUEST_ERROR', line: 1, column: 7 },
  },
  {
    kind: 47,
    name: 'a source map of its own is not fetched',
    code: 'throw new Error("x")\n//# sourceMappingURL=http://169.254.169.254/map',
    expected: { error: 'GUEST_ERROR', line: 1 },
  },
  {
    kind: 47,
    name: 'evaluated code that takes the name of the runtime hides only itself',
    code: '\n\n(0, eval)(\'throw new Error("x") //# sourceURL=glovebox:runtime\')',
    expected: { error: 'GUEST_ERROR', message: 'x' },
    check: (outcome) => {
      expect(outcome).toMatchObject({ error: { line: 3 } });
    },
  },
  {
    kind: 47,
    name: 'evaluated code that takes the name of the source only tells lies about the guest',
    code: '(0, eval)(\'\\n\\n\\n\\n\\n\\n\\nthrow new Error("x") //# sourceURL=guest.js\')',
    expected: { error: 'GUEST_ERROR', message: 'x', line: expect.any(Number) },
  },
  {
    kind: 47,
    name: 'places that are no numbers',
    code: 'const e = new Error("x"); e.stack = "Error: x\\n    at guest.js:99999999999999999999:1\\n    at guest.js:-1:0\\n    at guest.js:1e3:1\\n    at guest.js:0:0"; throw e',
    expected: { error: 'GUEST_ERROR', message: 'x' },
    check: (outcome) => {
      const { line, column } = (outcome as { error: { line?: number; column?: number } }).error;
      expect([line, column].every((n) => n === undefined || n > 0)).toBe(true);
    },
  },
]);
