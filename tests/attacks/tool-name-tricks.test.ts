import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const NAMES: readonly string[] = [
  'then',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  '__defineGetter__',
  '0',
  '-1',
  '',
  'a.b',
  'x'.repeat(1e6),
];

const tool = (): number => 1;

attacks('tool names that mean something to JavaScript', {}, [
  ...NAMES.map((name) => ({
    kind: 48 as const,
    name: `a tool that nobody gave, by the name ${JSON.stringify(name.slice(0, 20))}`,
    code: `
      const found = tools[name];
      try { await tools[name](1); return ['called', typeof found]; } catch (error) { return [error.name, typeof found]; }`,
    variables: { name },
    tools: { tool },
    expected: { value: ['TypeError', 'undefined'] },
    check: (_outcome: unknown, calls: readonly unknown[]) => {
      expect(calls).toEqual([]);
    },
  })),
  {
    kind: 48,
    name: 'awaiting the tools calls none of them',
    code: 'const got = await tools; return [got === tools, await Promise.resolve(tools) === tools]',
    tools: { tool },
    expected: { value: [true, true] },
  },
  {
    kind: 48,
    name: 'the tools cannot be changed, replaced or added to',
    code: `
      const seen = [];
      for (const act of [() => { tools.extra = 1 }, () => { tools.tool = 1 }, () => { delete tools.tool }, () => { tool.x = 1 },
        () => { Object.setPrototypeOf(tools, { extra: 1 }) }, () => { Object.defineProperty(tools, 'a', { value: 1 }) },
        () => { globalThis.tools = {} }, () => { globalThis.tool = 1 }])
        try { act(); seen.push('done'); } catch (error) { seen.push(error.name); }
      return [seen, await tool()]`,
    tools: { tool },
    expected: { value: [Array(8).fill('TypeError'), 1] },
  },
  {
    kind: 48,
    name: 'a prototype that offers tools offers none to the host',
    code: `
      Object.prototype.secret = () => 'guest';
      return [typeof tools.secret, await tool()]`,
    tools: { tool },
    expected: { value: ['undefined', 1] },
    check: (_outcome, calls) => {
      expect(calls.map(({ tool: name }) => name)).toEqual(['tool']);
    },
  },
  {
    kind: 48,
    name: 'a tool that takes another name is called by its own',
    code: `
      const desc = Object.getOwnPropertyDescriptor(tool, 'name');
      try { Object.defineProperty(tool, 'name', { value: 'other' }); } catch {}
      return [desc.value, await Reflect.apply(tool, { name: 'other', tool: 'other' }, [1])]`,
    tools: { tool },
    expected: { value: ['tool', 1] },
    check: (_outcome, calls) => {
      expect(calls).toEqual([{ tool: 'tool', input: 1 }]);
    },
  },
  {
    kind: 48,
    name: 'a tool is no constructor and has no prototype',
    code: `
      const seen = [];
      try { new tool(); } catch (error) { seen.push(error.name); }
      try { class A extends tool {} } catch (error) { seen.push(error.name); }
      return [seen, 'prototype' in tool]`,
    tools: { tool },
    expected: { value: [['TypeError', 'TypeError'], false] },
  },
]);
