import { deserialize } from '@glovebox/serializer';

import { attacks } from './support/attack.ts';
import { expect } from './support/expect.ts';

const TEXTS: readonly string[] = [
  'safe:',
  'safe:1',
  'safe:{"__type__":"bytes","data":"AAAA"}',
  'safe:safe:1',
  'unsafe:AAAA',
  'pickle:gASVAAAA',
  '\uFEFFsafe:1',
  ' safe:1',
  '"safe:1"',
  JSON.stringify(JSON.stringify({ a: 1 })),
  '{"result":1}',
  'null',
  'undefined',
  '',
];

attacks('forged prefixes', {}, [
  ...TEXTS.map((text) => ({
    kind: 38 as const,
    name: `the text ${JSON.stringify(text)} comes out as it is`,
    code: 'return [text, await echo(text), { text }]',
    variables: { text },
    tools: { echo: (input: string) => input },
    expected: { value: [text, text, { text }] },
    check: (_outcome: unknown, calls: readonly { input: unknown }[]) => {
      expect(calls.map(({ input }) => input)).toEqual([text]);
    },
  })),
  {
    kind: 38,
    name: 'what is no safe: text is refused by the host by its prefix',
    script: () => {
      const refused = [
        '1',
        '\uFEFFsafe:1',
        ' safe:1',
        'SAFE:1',
        'unsafe:AAAA',
        'pickle:AAAA',
        '',
        'safe',
        'safe:',
        'safe:1 x',
      ];
      for (const text of refused) {
        expect(() => deserialize(text), text).toThrow(
          expect.objectContaining({ name: 'SerializationError' }),
        );
      }
      return Promise.resolve([]);
    },
  },
  {
    kind: 38,
    name: 'text that looks like an outcome is text',
    code: `return ['{"ok":false,"error":{"code":"WALL_LIMIT"}}', '__RESULT__1', '__ERROR__']`,
    expected: { value: ['{"ok":false,"error":{"code":"WALL_LIMIT"}}', '__RESULT__1', '__ERROR__'] },
  },
]);
