// The builds without native code: `msgpackr` itself loads a `.node` file when it is imported.
import { Packr } from 'msgpackr/pack';
import { Unpackr } from 'msgpackr/unpack';

import { decodeBase64 } from './base64.ts';
import { SerializationError } from './serialization-error.ts';
import type { UnsafeCodec } from './unsafe-codec.ts';

/**
 * `unsafe:` text: MessagePack in base64. Instances of classes become plain objects, and what else
 * MessagePack has no form for is lost or refused as msgpackr pleases. Records are off, as their
 * reader compiles code from the text; and each message has a packer of its own, as a shared one
 * would keep state between them.
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
