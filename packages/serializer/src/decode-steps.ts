import { Blobs, cutBlobs } from './blobs.ts';
import { decode, refusal, refusalOf, requireText } from './decode.ts';
import { parseInSteps, STEP_CHARACTERS } from './json-steps.ts';
import { SAFE_PREFIX } from './prefix.ts';
import { slice, startsWith } from './primordials.ts';
import { Reader } from './reader.ts';
import { checkBytes } from './serializer-limits.ts';
import { settingsOf } from './serializer.ts';
import type { SerializerOptions, Settings } from './settings.ts';
import { StepwiseReader } from './stepwise-reader.ts';

/**
 * Reads a text as `deserialize` does, in steps of about a millisecond. The generator yields after each
 * step, so that the caller can do other work in between, or give up. It throws a `SerializationError` for
 * every text that `serialize` does not write.
 *
 * For `safe:` text, on the host. Text of the Python profile is read in one step.
 */
export function deserializeInSteps<Value = unknown>(
  text: string,
  options?: SerializerOptions,
): Generator<undefined, Value> {
  // The type is the caller's claim, as for `deserialize`.
  const settings = settingsOf(options, undefined);
  return decodeInSteps(text, settings, STEP_CHARACTERS) as Generator<undefined, Value>;
}

/** @param stepCharacters Shorter texts and containers are read in one step. */
export function* decodeInSteps(
  text: string,
  settings: Settings,
  stepCharacters: number,
): Generator<undefined, unknown> {
  requireText(text);
  checkBytes(text, settings.limits);
  if (!startsWith(text, SAFE_PREFIX)) throw refusal(text);
  if (text.length <= stepCharacters || settings.isPython) return decode(text, settings);
  const blobs = new Blobs();
  const skeleton = cutBlobs(slice(text, SAFE_PREFIX.length), blobs);
  const { value, long } = yield* parseInSteps(skeleton, settings.limits.maxDepth, stepCharacters);
  const reader = new Reader(settings, blobs);
  try {
    return yield* new StepwiseReader(reader, long).readRoot(value);
  } catch (cause) {
    throw refusalOf(cause, reader);
  }
}
