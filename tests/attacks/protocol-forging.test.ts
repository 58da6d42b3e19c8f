import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';
import { expectOutcome } from './support/expected.ts';

attacks('forged messages of the protocol', {}, [
  {
    kind: 45,
    name: 'no value that a guest returns is taken for a message',
    code: `return [{ type: 'end', run: 1, end: 'value' }, { type: 'ready', protocol: 1 }, ['end', 'safe:1'], { type: 'fatal' }]`,
    expected: {
      value: [
        { type: 'end', run: 1, end: 'value' },
        { type: 'ready', protocol: 1 },
        ['end', 'safe:1'],
        { type: 'fatal' },
      ],
    },
  },
  {
    kind: 45,
    name: 'the first end counts, whatever comes after it',
    code: `
      const { promise, resolve } = Promise.withResolvers();
      setTimeout(() => { resolve('second'); throw new Error('third'); }, 5);
      return Promise.race([promise, 'first'])`,
    expected: { value: 'first' },
  },
  {
    kind: 45,
    name: 'settling twice in one turn',
    code: `
      return { then(resolve, reject) { resolve('first'); reject(new Error('second')); resolve('third'); } }`,
    expected: { value: 'first' },
  },
  {
    kind: 45,
    name: 'calls after the end are not made',
    code: `
      setTimeout(() => tool('late'), 1);
      Promise.resolve().then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => tool('later'));
      return 'out'`,
    tools: { tool: (): number => 1 },
    expected: { value: 'out' },
    check: (_outcome, calls) => {
      expect(calls.filter(({ input }) => input === 'late')).toEqual([]);
    },
  },
  {
    kind: 45,
    name: 'logs after the end are not taken',
    code: `
      Promise.resolve().then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => Promise.resolve()).then(() => console.log('late'));
      console.log('in time');
      return 1`,
    expected: { value: 1 },
    check: (outcome) => {
      expect(outcome.logs.map(({ text }) => text)).toEqual(['in time']);
    },
  },
  {
    kind: 45,
    name: 'answers of a tool reach the call that they belong to',
    code: `
      const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => tool(n)));
      return answers.every((answer, n) => answer === n)`,
    tools: {
      tool: (n: number) =>
        new Promise((resolve) => {
          setTimeout(() => resolve(n), (n * 7) % 13);
        }),
    },
    expected: { value: true },
  },
  {
    kind: 45,
    name: 'a refusal of the runtime that was changed forges no failure',
    code: `
      let refusal;
      await tool(() => 1).catch((error) => { refusal = error; });
      try {
        refusal.code = 'LIMIT';
        refusal.allowed = '1,"kind":"call-limit","message":"forged"';
        refusal.used = '2}';
        refusal.path = { a: 1 };
      } catch {}
      return { get a() { throw refusal; } }`,
    tools: { tool: (): number => 1 },
    expected: { endsIn: ['GUEST_ERROR', 'UNSERIALIZABLE_RESULT', 'RESULT_LIMIT'] },
    check: (outcome) => {
      expect(JSON.stringify(outcome)).not.toContain('forged');
    },
  },
  {
    kind: 45,
    name: 'a thrown refusal of the runtime is an error of the guest',
    code: `
      let refusal;
      await tool(() => 1).catch((error) => { refusal = error; });
      throw refusal`,
    tools: { tool: (): number => 1 },
    expected: { error: 'GUEST_ERROR', guestCode: 'UNSUPPORTED_TYPE' },
  },
  {
    kind: 45,
    name: 'text that closes the JSON of a failure',
    code: `throw Object.assign(new Error('"},"kind":"call-limit","x":{"'), { name: '","kind":"call-limit', code: '\\\\","kind":"call-limit' })`,
    expected: { error: 'GUEST_ERROR', message: '"},"kind":"call-limit","x":{"' },
  },
  {
    kind: 45,
    name: 'errors with odd numbers as code',
    script: async ({ executor }) => {
      const outcomes = [];
      for (const code of [
        'NaN',
        'Infinity',
        '-Infinity',
        '-0',
        '1e999',
        '1e308',
        '5e-324',
        '2n',
        'Symbol()',
        '[1]',
      ]) {
        const outcome = await executor.run({
          code: `throw Object.assign(new Error('x'), { code: ${code} })`,
        });
        expectOutcome(outcome, { error: 'GUEST_ERROR', message: 'x' });
        outcomes.push(outcome);
      }
      return outcomes;
    },
  },
  {
    kind: 45,
    name: 'errors with lone surrogates cut in the middle of a pair',
    code: `throw Object.assign(new Error('\\ud83d\\ude00'.repeat(20000)), { name: '\\ud83d\\ude00'.repeat(300), code: '\\ud83d'.repeat(300) })`,
    expected: { error: 'GUEST_ERROR' },
  },
  {
    kind: 45,
    name: 'the longest of everything that a failure may hold is still read',
    code: `
      const big = '\\u0001'.repeat(1e5);
      const make = (depth) => Object.assign(new Error(big), { name: big, code: big, stack: big, ...(depth > 0 && { cause: make(depth - 1) }) });
      throw make(10)`,
    expected: { error: 'GUEST_ERROR' },
  },
  {
    kind: 45,
    name: 'a place in the result that is as long as can be',
    code: `let value = () => 1; for (let n = 0; n < 400; n++) value = { ['k'.repeat(5000)]: value }; return value`,
    expected: { error: 'UNSERIALIZABLE_RESULT' },
  },
  {
    kind: 45,
    name: 'a compile error as long as can be',
    code: `return /${'('.repeat(40_000)}/`,
    expected: { error: 'SYNTAX_ERROR', ran: 'no' },
  },
  {
    kind: 45,
    name: 'a compile error that quotes a very long name',
    code: `let ${'a'.repeat(60_000)}; let ${'a'.repeat(60_000)};`,
    expected: { error: 'SYNTAX_ERROR', ran: 'no' },
  },
  {
    kind: 45,
    name: 'a throw in code that is evaluated while it is compiled',
    code: "(0, eval)('}{'); return 1",
    expected: { error: 'GUEST_ERROR', name: 'SyntaxError' },
  },
]);
