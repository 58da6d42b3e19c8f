import { deserialize, serialize } from '@glovebox/serializer';
import { expect, test } from 'vitest';

import { errorOf } from './fixtures/error-of.ts';

test('an object that holds itself thirty times over, twice each, is stopped by the count', () => {
  let bomb: unknown = 'boom';
  for (let level = 0; level < 30; level++) bomb = [bomb, bomb];
  for (const options of [{}, { thorough: true }]) {
    expect(errorOf(() => serialize(bomb, options))).toMatchObject({
      code: 'LIMIT',
      limit: 'maxNodes',
    });
  }
  let records: object = {};
  for (let level = 0; level < 30; level++) records = { left: records, right: records };
  expect(errorOf(() => serialize(records))).toMatchObject({ code: 'LIMIT', limit: 'maxNodes' });
  // With references it is small, and stays small when it is read.
  const text = serialize(bomb, { references: 'preserve' });
  expect(text.length).toBeLessThan(3000);
  const read = deserialize<unknown[][]>(text);
  expect(read[0]).toBe(read[1]);
  expect(serialize(read, { references: 'preserve' })).toBe(text);
});
