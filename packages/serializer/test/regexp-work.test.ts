import { deserialize, serialize } from '@glovebox/serializer';
import { describe, expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

/** RegExps by the work of creating them, in units of about a microsecond. */
const WORK: readonly [what: string, regExp: RegExp, work: number][] = [
  ['a character', /aaaa/, 4],
  ['what looks like a property, without a flag for it', new RegExp(String.raw`\p{L}`), 5],
  ['a range that ignores case, in the old way', /[a-z]/iu, 5],
  ['an escape', /\d\d/u, 4],
  ['a property', /\p{L}\P{L}/u, 1010],
  ['a property, by sets', /\p{L}/v, 505],
  ['a property of strings', /\p{RGI_Emoji}\p{Basic_Emoji}\p{Emoji_Keycap_Sequence}/v, 30_053],
  ['a range that ignores case, by sets', /[a-z]/iv, 135],
];

describe.each(WORK)('the work of %s', (_what, regExp, work) => {
  const text = `safe:{"__type__":"regexp","source":${JSON.stringify(regExp.source)},"flags":"${regExp.flags}"}`;

  test('is allowed if it is within the limit', () => {
    const limits = { maxRegExpWork: work };
    expect(serialize(regExp, { limits })).toBe(text);
    expect(deserialize(text, { limits })).toEqual(regExp);
  });

  test('is refused above it, by both sides', () => {
    const limits = { maxRegExpWork: work - 1 };
    const facts = { code: 'LIMIT', limit: 'maxRegExpWork', allowed: work - 1, used: work };
    expect(errorOf(() => serialize(regExp, { limits }))).toMatchObject(facts);
    expect(errorOf(() => deserialize(text, { limits }))).toMatchObject(facts);
  });
});

test('all RegExps of a text share one limit', () => {
  const limits = { maxRegExpWork: 7 };
  expect(errorOf(() => serialize([/aaaa/, /bbbb/], { limits }))).toMatchObject({
    limit: 'maxRegExpWork',
    path: '[1]',
  });
});
