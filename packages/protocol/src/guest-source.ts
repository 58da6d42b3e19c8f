/**
 * Text in front of the guest's code on its first line. Columns of that line are shifted by its
 * length; line numbers are those of the source.
 */
export const CODE_PREFIX = '(async function(){"use strict";';

/** The name of the guest runtime in stacks: its frames are taken out of what callers see. */
export const RUNTIME_FILENAME = 'glovebox:runtime';

/**
 * Decimal digits of one BigInt that a guest may send. Reading one takes time in the square of its
 * digits, and it is the caller's thread that reads.
 */
export const MAX_BIGINT_DIGITS = 4096;

/**
 * Work of making the RegExps of one value that a guest may send, in units of about a microsecond: it
 * is the caller's thread that makes them.
 */
export const MAX_REGEXP_WORK = 50_000;
