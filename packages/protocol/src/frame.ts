/**
 * The wire between a parent and a host process: frames on a pipe. JSON and text only, because the
 * reader must stay safe whatever the writer is. Layout, integers big-endian:
 *
 *     uint32  length of what follows
 *     uint32  length of the header
 *     header  JSON, UTF-8
 *     body    text, UTF-8 (a `safe:` payload, or a line of log)
 */
const PREFIX_BYTES = 8;

/** Bytes that a frame may have beyond its body. */
export const HEADER_ALLOWANCE = 1024 * 1024;

/** The other side sent what is no frame, or one over the limit. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface Frame {
  readonly header: unknown;
  readonly body: string;
}

/**
 * One frame as bytes.
 *
 * @typeParam Header The messages that may be sent there. It must be named: nothing that is no message
 * of a hop gets onto its wire.
 */
export function encodeFrame<Header extends object = never>(
  header: NoInfer<Header>,
  body = '',
): Buffer {
  const head = JSON.stringify(header);
  const headBytes = Buffer.byteLength(head);
  const bodyBytes = body === '' ? 0 : Buffer.byteLength(body);
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + headBytes + bodyBytes);
  frame.writeUInt32BE(4 + headBytes + bodyBytes, 0);
  frame.writeUInt32BE(headBytes, 4);
  frame.write(head, PREFIX_BYTES);
  if (bodyBytes > 0) frame.write(body, PREFIX_BYTES + headBytes);
  return frame;
}

/** Puts frames together from the chunks of a stream. */
export class FrameReader {
  #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #held = 0;

  /** @param maxBytes The largest frame that is taken, in bytes; nothing is kept of a larger one. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes larger frames from now on; a smaller number changes nothing. */
  allow(maxBytes: number): void {
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /**
   * Takes a chunk and gives the frames that it completes.
   *
   * @throws {FrameError} A frame is over the limit, or no frame at all.
   */
  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    for (;;) {
      const length = this.#frameLength();
      if (length === undefined || this.#held < length) return;
      yield parseFrame(this.#take(length));
    }
  }

  /** The length of the first frame, its prefix included, once that much is known. */
  #frameLength(): number | undefined {
    if (this.#held < PREFIX_BYTES) return undefined;
    const first = this.#chunks[0];
    const prefix = first !== undefined && first.length >= 4 ? first : this.#join();
    const length = prefix.readUInt32BE(0);
    if (length < 4 || length > this.#maxBytes) {
      throw new FrameError(`A frame of ${length} bytes; at most ${this.#maxBytes} are taken.`);
    }
    return 4 + length;
  }

  #join(): Buffer {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks.length = 0;
    this.#chunks.push(all);
    return all;
  }

  #take(length: number): Buffer {
    const all = this.#join();
    this.#chunks.length = 0;
    if (all.length > length) this.#chunks.push(all.subarray(length));
    this.#held -= length;
    return all.subarray(0, length);
  }
}

function parseFrame(bytes: Buffer): Frame {
  const bodyAt = PREFIX_BYTES + bytes.readUInt32BE(4);
  if (bodyAt > bytes.length) throw new FrameError('The header is longer than its frame.');
  try {
    return {
      header: JSON.parse(bytes.toString('utf8', PREFIX_BYTES, bodyAt)),
      body: bodyAt === bytes.length ? '' : bytes.toString('utf8', bodyAt),
    };
  } catch (cause) {
    throw new FrameError('The header of a frame is not JSON.', { cause });
  }
}
