import { MAX_BIGINT_DIGITS, MAX_REGEXP_WORK } from '@glovebox/protocol/guest-source';
import { BoundedSerializer, deserializeInSteps } from '@glovebox/serializer/safe';

import { workInSlices } from '../shared/work-slices.ts';
import type { WorkInSlices } from '../shared/work-slices.ts';

const limits = { maxBigIntDigits: MAX_BIGINT_DIGITS, maxRegExpWork: MAX_REGEXP_WORK };
const serializer = new BoundedSerializer({ limits });

/**
 * Characters of text that are read in one go. The dearest value of so many takes about 25 ms: a Set
 * of integers whose hashes collide.
 */
const SHORT_CHARACTERS = 32_768;
/** CPU time that reading may take: what any value without tricks takes, several times over. */
const READ_MS = 1000;
const READ_MS_PER_MIB = 500;
const MIB = 1024 * 1024;

/** A value that is read: at once, or in slices between other work. */
export type GuestReading = { readonly value: unknown } | WorkInSlices<unknown>;

/**
 * Reads a value that a guest has sent. Nothing is trusted of its text, nor of what it takes to read:
 * a guest can make values whose tables take the square of their size to fill.
 *
 * @throws {SerializationError} It is not what an honest guest's runtime writes. What is read in slices
 * rejects with it, or with a `WorkLimitError`.
 */
export function readFromGuest(text: string, maxBytes: number): GuestReading {
  if (text.length <= SHORT_CHARACTERS) return { value: serializer.deserialize(text, maxBytes) };
  const limitMs = Math.ceil(READ_MS + (READ_MS_PER_MIB * text.length) / MIB);
  return workInSlices(deserializeInSteps(text, { limits: { ...limits, maxBytes } }), limitMs);
}
