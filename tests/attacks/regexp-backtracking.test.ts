import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const PROGRAMS: readonly [name: string, code: string][] = [
  ['nested quantifiers', '/^(a+)+$/.test("a".repeat(40) + "b")'],
  ['overlapping alternatives', '/^(a|aa)+$/.test("a".repeat(80) + "b")'],
  ['nested quantifiers with replace', '("a".repeat(40) + "b").replace(/^(a+)+$/, "")'],
  ['nested quantifiers with split', '("a".repeat(40) + "b").split(/^(a+)+$/)'],
  ['nested quantifiers with matchAll', '[...("a".repeat(40) + "b").matchAll(/(?:a+)+$/g)]'],
  ['nested quantifiers with search', '("a".repeat(40) + "b").search(/^(a+)+$/)'],
  ['unicode classes', '/^(\\p{L}+)+$/u.test("a".repeat(40) + "1")'],
  ['sets of the v flag', '/^([\\p{L}--[z]]+)+$/v.test("a".repeat(40) + "1")'],
  ['a lookahead', '/^(?=(a+)+$)./.test("a".repeat(40) + "b")'],
  ['back references', '/^(a*)*\\1*c$/.test("a".repeat(34) + "b")'],
  ['without regard to case', '/^(a+)+$/i.test("aA".repeat(20) + "b")'],
  ['sticky', '/(a+)+$/y.test("a".repeat(40) + "b")'],
  ['a matcher of its own', 'RegExp.prototype[Symbol.match].call(/^(a+)+$/g, "a".repeat(40) + "b")'],
  ['a quadratic search in a long text', '/a*b/.test("a".repeat(4e6))'],
];

attacks('regular expressions that backtrack', { limits: { wallMs: 200 }, atOnce: 3 }, [
  ...PROGRAMS.map(([name, code]) => ({
    kind: 29 as const,
    name,
    code,
    expected: { error: 'WALL_LIMIT', limit: 200, ran: 'yes' } as const,
  })),
  {
    kind: [29, 52],
    name: 'one that is handed to the host is not run there',
    code: 'const pattern = /^(a+)+$/g; pattern.lastIndex = 0; return [pattern, "a".repeat(40) + "b"]',
    limits: { wallMs: 30_000 },
    expected: { value: [/^(a+)+$/g, `${'a'.repeat(40)}b`] },
  },
  {
    kind: 29,
    name: 'one that is handed to a tool is not run by Glovebox',
    code: 'return await tool({ pattern: /^(a+)+$/, text: "a".repeat(40) + "b" })',
    tools: { tool: (input: { pattern: RegExp }): boolean => input.pattern instanceof RegExp },
    limits: { wallMs: 30_000 },
    expected: { value: true },
    check: (_outcome, calls) => {
      expect(calls).toHaveLength(1);
    },
  },
]);
