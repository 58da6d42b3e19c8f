// The builds without native code: `msgpackr` itself loads a `.node` file when it is imported.
import { Packr } from 'msgpackr/pack';
import { Unpackr } from 'msgpackr/unpack';

import { decodeBase64 } from './base64.ts';
import { SerializationError } from './serialization-error.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/**
 * `unsafe:` text: MessagePack in base64. Instances of classes become plain objects; msgpackr drops
 * or refuses other values that MessagePack does not have. Records are disabled, because their
 * reader compiles code from the text. Each message has its own packer, because a shared packer
 * would keep state from one message to the next.
 */
export const msgpack: UnsafeCodec = {
  encode(value) {
    warn('An unsafe: text was written');
    try {
      return new Packr({ useRecords: false }).pack(value).toString('base64');
    } catch (cause) {
      throw new SerializationError('UNSUPPORTED_TYPE', 'MessagePack cannot carry it either', {
        value,
        cause,
      });
    }
  },
  decode(text) {
    warn('An unsafe: text was read');
    const bytes = decodeBase64(text);
    if (bytes === undefined) throw new SerializationError('MALFORMED', 'Not canonical base64');
    try {
      return new Unpackr({ useRecords: false }).unpack(bytes) as unknown;
    } catch (cause) {
      throw new SerializationError('MALFORMED', 'Not MessagePack', { cause });
    }
  },
};

function warn(what: string): void {
  process.emitWarning(what + '; it is not exact, and has none of the limits of safe: text', {
    type: 'UnsafeSerializationWarning',
    code: 'GLOVEBOX_UNSAFE',
  });
}
