import { describe, expect, test } from 'vitest';

import { encodeFrame, FrameError, FrameReader } from '../src/frame.ts';
import type { Frame } from '../src/frame.ts';

const FRAMES: readonly Frame[] = [
  { header: { type: 'log', level: 'info' }, body: 'hello' },
  { header: {}, body: '' },
  { header: { type: 'end', text: 'zwölf €' }, body: 'ünïcödé 😀 \0 \ud83d\ude00' },
  { header: { list: [1, null, { deep: true }] }, body: 'safe:{"a":1}' },
];

const BYTES = Buffer.concat(FRAMES.map(({ header, body }) => encode(header, body)));

function encode(header: unknown, body = ''): Buffer {
  return encodeFrame<object>(header as object, body);
}

/** A frame whose length fields may be wrong. */
function forge(length: number, headerLength: number, rest: string): Buffer {
  const prefix = Buffer.alloc(8);
  prefix.writeUInt32BE(length, 0);
  prefix.writeUInt32BE(headerLength, 4);
  return Buffer.concat([prefix, Buffer.from(rest)]);
}

/** The frames in these chunks. */
function read(chunks: readonly Buffer[], maxBytes = 1000): Frame[] {
  const reader = new FrameReader(maxBytes);
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
}

describe('encodeFrame', () => {
  test('writes two lengths, the header as JSON, and the body', () => {
    expect(encode({ a: 'é' }, 'ü').toString('latin1')).toBe(
      Buffer.from('\0\0\0\u0010\0\0\0\u000a{"a":"é"}ü').toString('latin1'),
    );
  });

  test('writes no body if there is none', () => {
    expect(encode({ a: 1 }).toString()).toBe('\0\0\0\u000b\0\0\0\u0007{"a":1}');
  });
});

describe('a reader', () => {
  test.each(FRAMES)('reads what was encoded: %j', (frame) => {
    expect(read([encode(frame.header, frame.body)])).toEqual([frame]);
  });

  test('yields all frames of one chunk, in order', () => {
    expect(read([BYTES])).toEqual(FRAMES);
  });

  test('reassembles frames, wherever the stream is split', () => {
    for (let at = 0; at <= BYTES.length; at++) {
      expect(read([BYTES.subarray(0, at), BYTES.subarray(at)])).toEqual(FRAMES);
    }
  });

  test.each([1, 2, 3, 4, 5, 7, 8, 9, 13])('reassembles frames from chunks of %d bytes', (size) => {
    const chunks = Array.from({ length: Math.ceil(BYTES.length / size) }, (_, n) =>
      BYTES.subarray(n * size, (n + 1) * size),
    );
    expect(read(chunks)).toEqual(FRAMES);
  });

  test('ignores empty chunks', () => {
    const none = Buffer.alloc(0);
    expect(read([none, BYTES.subarray(0, 2), none, BYTES.subarray(2), none])).toEqual(FRAMES);
  });

  test('yields a frame as soon as its last byte has arrived', () => {
    const reader = new FrameReader(1000);
    const bytes = encode({ a: 1 }, 'body');
    expect([...reader.push(bytes.subarray(0, -1))]).toEqual([]);
    expect([...reader.push(bytes.subarray(-1))]).toEqual([{ header: { a: 1 }, body: 'body' }]);
  });

  test('yields frames that do not change with the buffer', () => {
    const reader = new FrameReader(1000);
    const bytes = encode({ a: 1 }, 'body');
    const [frame] = reader.push(bytes);
    bytes.fill(0);
    expect(frame).toEqual({ header: { a: 1 }, body: 'body' });
  });
});

describe('the size limit', () => {
  // The first length field does not count itself.
  const frame = encode({ a: 1 }, 'x'.repeat(89));
  const LENGTH = 4 + 7 + 89;

  test('accepts a frame of exactly that size, and refuses a larger one', () => {
    expect(read([frame], LENGTH)).toHaveLength(1);
    expect(() => read([frame], LENGTH - 1)).toThrow(
      new FrameError('The frame has 100 bytes; at most 99 are allowed.'),
    );
  });

  test('refuses a frame as soon as its length fields have arrived', () => {
    expect(read([frame.subarray(0, 7)], LENGTH - 1)).toEqual([]);
    expect(() => read([frame.subarray(0, 8)], LENGTH - 1)).toThrow(FrameError);
  });

  test('applies to each frame, not to all buffered bytes', () => {
    expect(read([Buffer.concat([frame, frame, frame])], LENGTH)).toHaveLength(3);
  });

  test('does not affect the frames before the one that is too large', () => {
    const reader = new FrameReader(LENGTH);
    const frames: Frame[] = [];
    const large = encode({ a: 1 }, 'x'.repeat(90));
    expect(() => {
      for (const each of reader.push(Buffer.concat([frame, large]))) frames.push(each);
    }).toThrow('The frame has 101 bytes; at most 100 are allowed.');
    expect(frames).toHaveLength(1);
  });

  test.each([
    ['a larger limit applies at once', LENGTH - 1, LENGTH],
    ['a smaller limit changes nothing', LENGTH, LENGTH - 1],
  ])('can be raised by allow: %s', (_what, first, later) => {
    const reader = new FrameReader(first);
    reader.allow(later);
    expect([...reader.push(frame)]).toHaveLength(1);
  });

  test('still applies after allow', () => {
    const reader = new FrameReader(10);
    reader.allow(LENGTH - 1);
    expect(() => [...reader.push(frame)]).toThrow(
      'The frame has 100 bytes; at most 99 are allowed.',
    );
  });

  test('can be raised between two chunks of a frame', () => {
    const reader = new FrameReader(LENGTH);
    const large = encode({ a: 1 }, 'x'.repeat(500));
    expect([...reader.push(Buffer.concat([frame, large.subarray(0, 7)]))]).toHaveLength(1);
    reader.allow(1000);
    expect([...reader.push(large.subarray(7))]).toHaveLength(1);
  });
});

describe('a malformed frame', () => {
  test.each([
    ['a length without room for the header length', forge(3, 0, ''), /The frame has 3 bytes/],
    ['a length of 0', forge(0, 0, ''), /The frame has 0 bytes/],
    ['no header', forge(4, 0, ''), /not JSON/],
    ['the largest possible length', forge(2 ** 32 - 1, 1, '{}'), /The frame has 4294967295 bytes/],
    ['a header that is longer than its frame', forge(6, 3, '{}'), /longer than its frame/],
    ['a header of 4 GiB', forge(6, 2 ** 32 - 1, '{}'), /longer than its frame/],
    ['an empty header', forge(6, 0, '{}'), /not JSON/],
    ['a truncated header', forge(6, 1, '{}'), /not JSON/],
    ['a header that is not JSON', forge(6, 2, '{]'), /not JSON/],
    ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /The frame has \d+ bytes/],
  ])('with %s is refused', (_what, bytes, message) => {
    expect(() => read([bytes])).toThrow(FrameError);
    expect(() => read([bytes])).toThrow(message);
  });

  test('has the JSON error as the cause of its error', () => {
    expect(() => read([forge(6, 1, '{}')])).toThrow(
      expect.objectContaining({ name: 'FrameError', cause: expect.any(SyntaxError) }),
    );
  });
});
