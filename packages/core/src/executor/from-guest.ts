import { MAX_BIGINT_DIGITS, MAX_REGEXP_WORK } from '@glovebox/protocol/guest-source';
import { BoundedSerializer } from '@glovebox/serializer/safe';
import { deserializeInSteps } from '@glovebox/serializer/steps';

import { workInSlices } from '../shared/work-slices.ts';
import type { WorkInSlices } from '../shared/work-slices.ts';

const limits = { maxBigIntDigits: MAX_BIGINT_DIGITS, maxRegExpWork: MAX_REGEXP_WORK };
const serializer = new BoundedSerializer({ limits });

/**
 * Texts of at most this many characters are decoded in one go. The most expensive value of that size, a
 * Set of integers whose hashes collide, takes about 25 ms.
 */
const SHORT_CHARACTERS = 32_768;
/** CPU time that decoding may take: several times what a value without tricks of that size takes. */
const READ_MS = 1000;
const READ_MS_PER_MIB = 500;
const MIB = 1024 * 1024;

/** A decoded value, or one that is being decoded in slices of the event loop. */
export type GuestReading = { readonly value: unknown } | WorkInSlices<unknown>;

/**
 * Decodes a value from a guest. Neither the text nor the work that it takes is trusted: some values take
 * time in the square of their size, such as a Set whose hashes collide.
 *
 * @throws {SerializationError} The text is not one that the guest runtime can have written. A value that
 * is decoded in slices rejects with it, or with a `WorkLimitError`.
 */
export function readFromGuest(text: string, maxBytes: number): GuestReading {
  if (text.length <= SHORT_CHARACTERS) return { value: serializer.deserialize(text, maxBytes) };
  const limitMs = Math.ceil(READ_MS + (READ_MS_PER_MIB * text.length) / MIB);
  return workInSlices(deserializeInSteps(text, { limits: { ...limits, maxBytes } }), limitMs);
}
