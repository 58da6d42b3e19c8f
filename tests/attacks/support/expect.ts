/**
 * The `expect` of the tables. Their assertions run inside of tests that the harness makes, where a
 * linter that looks for them in the same file would not see them.
 */
export { expect } from 'vitest';
