import { encodeFrame, FrameError, FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { ObjectStore } from '@nats-io/obj';

import { storedFrameSchema } from './nats-messages.ts';
import type { JobAddress, StoredFrame } from './nats-messages.ts';
import { randomName } from './subjects.ts';

/**
 * A larger frame goes through the object store. A server accepts messages of 1 MiB by default, and
 * events are batched up to this size.
 */
export const MESSAGE_BYTES = 512 * 1024;

/** A frame as the content of a message. */
/** Bytes of a frame that its own length does not count. */
const PREFIX_ALLOWANCE = 8;

export interface PackedFrame {
  readonly bytes: Uint8Array;
  /** The name of the stored object, if the frame is too large for a message. */
  readonly stored?: string;
}

/** A frame cannot be read from the object store. */
export class StoredFrameError extends FrameError {
  /** Where to report the error, if the frame is a job. */
  readonly address: JobAddress | undefined;
  /** The largest size allowed and the size of the frame in bytes, if the frame is too large. */
  readonly size: { readonly limit: number; readonly used: number } | undefined;

  constructor(
    message: string,
    address: JobAddress | undefined,
    more: Pick<StoredFrameError, 'size'> & { readonly cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.address = address;
    this.size = more.size;
  }
}

/** Converts frames to messages and back. Large frames go through the object store. */
export class Payloads {
  readonly #openStore: () => Promise<ObjectStore>;
  readonly #read: (name: string, maxBytes: number) => Promise<Buffer>;
  #store: Promise<ObjectStore> | undefined;

  constructor(
    openStore: () => Promise<ObjectStore>,
    read: (name: string, maxBytes: number) => Promise<Buffer>,
  ) {
    this.#openStore = openStore;
    this.#read = read;
  }

  /**
   * Encodes a frame. Returns a promise only if the frame goes to the object store.
   *
   * @typeParam Header The messages that may be sent there, as for {@link encodeFrame}.
   * @param address Where the reader reports that the frame is too large.
   */
  pack<Header extends object = never>(
    header: NoInfer<Header>,
    body = '',
    address?: JobAddress,
  ): PackedFrame | Promise<PackedFrame> {
    const bytes = encodeFrame<Header>(header, body);
    return bytes.length <= MESSAGE_BYTES ? { bytes } : this.#put(bytes, address);
  }

  /**
   * Decodes a message of one frame. Returns a promise only if the frame is in the object store.
   *
   * @param maxBytes The largest frame that is accepted.
   * @param keep Keeps a stored frame in the store, so that it can be read again.
   * @throws {FrameError} The message is not one frame, or the frame is too large.
   */
  unpack(message: Uint8Array, maxBytes: number, keep = false): Frame | Promise<Frame> {
    return this.fetch(readFrame(message, maxBytes), maxBytes, keep);
  }

  /** Returns the frame, or the stored frame that it refers to. Parameters as for `unpack`. */
  fetch(frame: Frame, maxBytes: number, keep = false): Frame | Promise<Frame> {
    // Most frames are not stored. This check is cheaper than a schema that fails.
    if (typeof frame.header !== 'object' || !Object.hasOwn(frame.header ?? {}, 'stored')) {
      return frame;
    }
    const parsed = storedFrameSchema.safeParse(frame.header);
    if (!parsed.success) return frame;
    const { stored, address } = parsed.data;
    if (stored.bytes > maxBytes) {
      const message = `A frame has ${stored.bytes} bytes; at most ${maxBytes} are accepted.`;
      throw new StoredFrameError(message, address, {
        size: { limit: maxBytes, used: stored.bytes },
      });
    }
    return this.#get(stored.name, maxBytes, keep).catch((cause: unknown) => {
      const message = 'A value could not be read from the object store.';
      throw new StoredFrameError(message, address, { size: undefined, cause });
    });
  }

  /** Deletes a stored frame. Never rejects: the store deletes what remains when it is a day old. */
  async discard(name: string): Promise<void> {
    try {
      await (await this.#openedStore()).delete(name);
    } catch {
      // The server is unreachable, or the frame is already deleted.
    }
  }

  async #openedStore(): Promise<ObjectStore> {
    this.#store ??= this.#openStore();
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  async #put(bytes: Uint8Array, address: JobAddress | undefined): Promise<PackedFrame> {
    const name = randomName();
    const store = await this.#openedStore();
    await store.putBlob({ name }, bytes);
    const stored = { name, bytes: bytes.length };
    return { bytes: encodeFrame<StoredFrame>({ stored, address }), stored: name };
  }

  async #get(name: string, maxBytes: number, keep: boolean): Promise<Frame> {
    const bytes = await this.#read(name, maxBytes + PREFIX_ALLOWANCE);
    if (!keep) void this.discard(name);
    return readFrame(bytes, maxBytes);
  }
}

/**
 * Decodes a message of one or more frames.
 *
 * @throws {FrameError} The message is not a sequence of frames, or a frame is too large.
 */
export function readFrames(message: Uint8Array, maxBytes: number): readonly Frame[] {
  const buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const reader = new FrameReader(maxBytes);
  const frames = [...reader.push(buffer)];
  if (frames.length === 0) throw new FrameError('A message holds no complete frame.');
  return frames;
}

function readFrame(message: Uint8Array, maxBytes: number): Frame {
  const [frame, ...more] = readFrames(message, maxBytes);
  if (frame === undefined || more.length > 0) {
    throw new FrameError('A message holds more than one frame.');
  }
  return frame;
}
