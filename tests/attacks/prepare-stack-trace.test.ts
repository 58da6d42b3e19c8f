import { attacks } from './support/attack.ts';

attacks('Error.prepareStackTrace', { limits: { wallMs: 300 } }, [
  {
    kind: 4,
    name: 'call sites hold no function and no this of the runtime',
    code: `
      Error.prepareStackTrace = (_error, sites) => sites;
      Error.stackTraceLimit = 100;
      const stacks = [new Error('here').stack];
      await new Promise((resolve) => setTimeout(() => { stacks.push(new Error('in a timer').stack); resolve(); }, 1));
      await { then(resolve) { stacks.push(new Error('in a thenable').stack); resolve(); } };
      const own = new Set([undefined, null, globalThis]);
      return stacks.flat().flatMap((site) => [site.getThis(), site.getFunction()])
        .filter((value) => !own.has(value) && !/^(?:async )?(?:function|\\(|then)/.test(String(value))).map(String)`,
    limits: { wallMs: 30_000 },
    expected: { value: [] },
  },
  {
    kind: 4,
    name: 'call sites name no file of the host',
    code: `
      Error.prepareStackTrace = (_error, sites) => sites.flatMap((site) =>
        [site.getFileName(), site.getScriptNameOrSourceURL(), site.getEvalOrigin(), site.toString()]);
      const texts = new Error('here').stack.map(String);
      return [texts.length > 3, texts.filter((text) => /[/\\\\]/.test(text))]`,
    limits: { wallMs: 30_000 },
    expected: { value: [true, []] },
  },
  {
    kind: 27,
    name: 'a loop while a thrown error is read',
    code: 'Error.prepareStackTrace = () => { for (;;); }; throw new Error("x")',
    expected: { error: 'WALL_LIMIT', limit: 300 },
  },
  {
    kind: 27,
    name: 'a loop while an error of the runtime is read',
    code: 'Error.prepareStackTrace = () => { for (;;); }; return () => 1',
    expected: { error: 'WALL_LIMIT' },
  },
  {
    kind: 27,
    name: 'a loop in an error that nobody handles, behind a good result',
    code: 'Error.prepareStackTrace = () => { for (;;); }; Promise.reject(new Error("x")); return "done"',
    limits: { wallMs: 30_000 },
    expected: { value: 'done' },
  },
  {
    kind: 27,
    name: 'a loop in an error that nobody handles, with no result',
    code: 'Error.prepareStackTrace = () => { for (;;); }; Promise.reject(new Error("x")); await new Promise(() => {})',
    expected: { error: 'WALL_LIMIT' },
  },
  {
    kind: 27,
    name: 'it throws',
    code: 'Error.prepareStackTrace = () => { throw new Error("again") }; throw new TypeError("x")',
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', name: 'TypeError', message: 'x' },
  },
  ...(
    [
      ['an object', '({ toString() { for (;;); } })'],
      ['a symbol', 'Symbol("s")'],
      ['a promise', 'Promise.reject(1)'],
      ['a proxy', 'new Proxy({}, { get() { for (;;); } })'],
      ['a number', '7'],
    ] as const
  ).map(([name, made]) => ({
    kind: 27 as const,
    name: `it gives ${name}`,
    code: `Error.prepareStackTrace = () => ${made}; throw new TypeError("x")`,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR' as const, name: 'TypeError', message: 'x' },
  })),
  {
    kind: 27,
    name: 'it gives ten million characters',
    code: 'Error.prepareStackTrace = () => "x".repeat(1e7); throw new TypeError("x")',
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', name: 'TypeError' },
  },
  ...(
    [
      ['throws', 'throw new Error("again")'],
      ['gives no text', 'return { indexOf: () => 0 }'],
      ['gives text of its own', 'return "\\n    at host (/etc/passwd:1:1)"'],
    ] as const
  ).map(([name, body]) => ({
    kind: 27 as const,
    name: `it ${name} where a tool has failed`,
    code: `
      Error.prepareStackTrace = () => { ${body} };
      const error = await pay().catch((thrown) => thrown);
      return [error.name, error.message, error.code]`,
    tools: {
      pay: () => {
        throw Object.assign(new RangeError('too much'), { code: 'E_RANGE' });
      },
    },
    limits: { wallMs: 30_000 },
    expected: { value: ['RangeError', 'too much', 'E_RANGE'] },
  })),
  {
    kind: 27,
    name: 'a loop while the place of a failed tool is read',
    code: 'Error.prepareStackTrace = () => { for (;;); }; try { await pay() } catch {} return 1',
    tools: {
      pay: () => {
        throw new Error('no');
      },
    },
    expected: { error: 'WALL_LIMIT' },
  },
  {
    kind: 27,
    name: 'an endless stack limit and a deep stack',
    code: `
      Error.stackTraceLimit = Infinity;
      const deep = (n) => { if (n === 0) throw new Error("deep"); deep(n - 1); };
      deep(5000)`,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', message: 'deep' },
  },
  {
    kind: 27,
    name: 'a stack limit that is an accessor, a symbol or negative',
    code: `
      Object.defineProperty(Error, 'stackTraceLimit', { get() { for (;;); } });
      throw new Error('x')`,
    limits: { wallMs: 30_000 },
    expected: { error: 'GUEST_ERROR', message: 'x' },
  },
]);
