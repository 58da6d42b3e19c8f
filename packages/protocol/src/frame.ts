/**
 * The wire format between a parent and a host process: frames on a pipe. Frames hold only JSON and
 * text, so that reading is safe even if the writer is hostile. Layout, integers big-endian:
 *
 *     uint32  number of bytes after this field
 *     uint32  number of bytes of the header
 *     header  JSON, UTF-8
 *     body    text, UTF-8 (a `safe:` payload, or a line of log)
 */
const PREFIX_BYTES = 8;

/** The other side sent a malformed frame, or one over the size limit. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

export interface Frame {
  readonly header: unknown;
  readonly body: string;
}

/**
 * Encodes one frame.
 *
 * @typeParam Header The messages that this connection allows. The caller must name it, so that the
 * compiler refuses a header that is not such a message.
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

/** Reassembles frames from the chunks of a stream. */
export class FrameReader {
  #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bufferedBytes = 0;

  /** @param maxBytes The largest frame that is accepted, in bytes. A larger one is not buffered. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Raises the size limit. A number below the current limit changes nothing. */
  allow(maxBytes: number): void {
    this.#maxBytes = Math.max(this.#maxBytes, maxBytes);
  }

  /**
   * Adds a chunk and yields the frames that it completes.
   *
   * @throws {FrameError} A frame is malformed, or over the size limit.
   */
  *push(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk);
    this.#bufferedBytes += chunk.length;
    for (;;) {
      const length = this.#frameLength();
      if (length === undefined || this.#bufferedBytes < length) return;
      yield parseFrame(this.#take(length));
    }
  }

  /** The length of the first frame, prefix included; undefined until the prefix has arrived. */
  #frameLength(): number | undefined {
    if (this.#bufferedBytes < PREFIX_BYTES) return undefined;
    const first = this.#chunks[0];
    const prefix = first !== undefined && first.length >= 4 ? first : this.#join();
    const length = prefix.readUInt32BE(0);
    if (length < 4 || length > this.#maxBytes) {
      throw new FrameError(`The frame has ${length} bytes; at most ${this.#maxBytes} are allowed.`);
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
    this.#bufferedBytes -= length;
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
