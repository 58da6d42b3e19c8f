/**
 * Text that precedes the guest's code on its first line. It shifts the columns of that line by its
 * length; line numbers do not change.
 */
export const CODE_PREFIX = '(async function(){"use strict";';

/** File name of the guest runtime in stack traces. Its frames are removed before callers see them. */
export const RUNTIME_FILENAME = 'glovebox:runtime';

/**
 * The most decimal digits of a BigInt that a guest may send. Parsing takes quadratic time, and it
 * happens on the caller's thread.
 */
export const MAX_BIGINT_DIGITS = 4096;

/**
 * Work of making the RegExps of one value that a guest may send, in units of about a microsecond: it
 * is the caller's thread that makes them.
 */
export const MAX_REGEXP_WORK = 50_000;
