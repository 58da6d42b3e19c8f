import { expect, test } from 'vitest';

import { useExecutor } from '../support/adapters.ts';
import { agentOf } from '../support/agent.ts';

const executor = useExecutor();
const T = '```';
const LONG = '````';

/** The code that an agent takes from what its model says; undefined where there is none. */
async function codeIn(text: string): Promise<string | undefined> {
  // It does not compile in most cases: what counts is what was to run.
  const { agent } = agentOf([text, ''], { executor: executor(), maxSteps: 1 });
  await agent.run('Go.');
  const [, step] = agent.memory.steps;
  return step?.type === 'action' ? step.code : undefined;
}

test.each([
  ['a block of ts', `Text.\n${T}ts\na\nb\n${T}\nMore.`, 'a\nb'],
  ['a block of js', `${T}js\na\n${T}`, 'a'],
  ['a block of JavaScript with more behind it', `${T}JavaScript title="x"\na\n${T}`, 'a'],
  ['a block of no language', `${T}\na\n${T}`, 'a'],
  ['lines that end as on Windows', `${T}ts\r\na\r\nb\r\n${T}\r\n`, 'a\nb'],
  ['two blocks', `${T}ts\na\n${T}\nthen\n${T}js\nb\n${T}`, 'a\n\nb'],
  ['a block of another language before it', `${T}json\n{}\n${T}\n${T}ts\na\n${T}`, 'a'],
  ['a longer fence around a shorter one', `${LONG}ts\n${T}\na\n${T}\n${LONG}`, `${T}\na\n${T}`],
  ['tildes', '~~~ts\na\n~~~', 'a'],
  [
    'a block in a list',
    `1. Do:\n   ${T}ts\n   if (a) {\n     b\n   }\n   ${T}`,
    'if (a) {\n  b\n}',
  ],
  ['a block that was never closed', `${T}ts\na\nb`, 'a\nb'],
  ['a fence in the middle of a line', `${T}ts\nconst t = "${T}";\n${T}`, `const t = "${T}";`],
  ['observations that the model made up', `${T}ts\na\n${T}\nObservation: 4\n${T}ts\nb\n${T}`, 'a'],
  ['thoughts before it', `<think>\n${T}ts\nno\n${T}\n</think>\n${T}ts\nyes\n${T}`, 'yes'],
  ['an empty block', `${T}ts\n\n${T}`, undefined],
  ['no block', 'a', undefined],
  ['nothing', '', undefined],
  ['another language', `${T}bash\nrm -rf /\n${T}`, undefined],
])('code is found: %s', async (_what, text, expected) => {
  expect(await codeIn(text)).toBe(expected);
});
