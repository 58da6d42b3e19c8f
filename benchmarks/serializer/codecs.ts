import * as v8 from 'node:v8';

import { deserialize, serialize } from '@glovebox/serializer';
import * as cbor from 'cbor-x';
import * as devalue from 'devalue';
import * as flatted from 'flatted';
import * as msgpackr from 'msgpackr';
import { fromJSON, toJSON } from 'seroval';
import * as superjson from 'superjson';

/** One way to write a value and read it again, each with the options that its users have. */
export interface Codec {
  readonly name: string;
  readonly encode: (value: never) => unknown;
  readonly decode: (encoded: never) => unknown;
}

const glovebox: Codec = { name: 'glovebox', encode: serialize, decode: deserialize };

const json: Codec = { name: 'JSON', encode: JSON.stringify, decode: JSON.parse };

/** Binary data as JSON has it: base64 in a field, and the caller who knows what it was. */
const jsonWithBase64: Codec = {
  name: 'JSON + base64',
  encode: (value: Uint8Array | Float64Array) =>
    JSON.stringify({
      data: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
    }),
  decode: (text: string) => {
    // What `encode` above has written.
    const { data } = JSON.parse(text) as { data: string };
    return Buffer.from(data, 'base64');
  },
};

/** The reference for text, that for bytes, this package, and its peers. */
export const codecs: readonly Codec[] = [
  json,
  jsonWithBase64,
  glovebox,
  { name: 'v8.serialize', encode: v8.serialize, decode: v8.deserialize },
  { name: 'structuredClone', encode: structuredClone, decode: (value) => value },
  { name: 'msgpackr', encode: msgpackr.pack, decode: msgpackr.unpack },
  { name: 'cbor-x', encode: cbor.encode, decode: cbor.decode },
  { name: 'superjson', encode: superjson.stringify, decode: superjson.parse },
  { name: 'devalue', encode: devalue.stringify, decode: devalue.parse },
  {
    name: 'seroval',
    encode: (value: unknown) => JSON.stringify(toJSON(value)),
    decode: (text: string) => fromJSON(JSON.parse(text) as ReturnType<typeof toJSON>),
  },
  { name: 'flatted', encode: flatted.stringify, decode: flatted.parse },
];
