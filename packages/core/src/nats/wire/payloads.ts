import { encodeFrame, FrameError, FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type { ObjectStore } from '@nats-io/obj';

import { storedFrameSchema } from './nats-messages.ts';
import type { Address, StoredFrame } from './nats-messages.ts';
import { unguessable } from './subjects.ts';

/** What is larger goes through the object store; servers take messages of 1 MiB unless told. */
export const MESSAGE_BYTES = 512 * 1024;

/** A frame on its way out. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** The object that holds it, where it is too large for a message. */
  readonly stored?: string;
}

/** A frame in the object store cannot be had. */
export class StoredFrameError extends FrameError {
  /** Whom to tell. */
  readonly address: Address | undefined;
  /** What is allowed and what there is, where it is too large. */
  readonly size: { readonly limit: number; readonly used: number } | undefined;

  constructor(
    message: string,
    address: Address | undefined,
    more: Pick<StoredFrameError, 'size'> & { readonly cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.address = address;
    this.size = more.size;
  }
}

/** Turns frames into messages and back; large ones make a detour through the object store. */
export class Payloads {
  readonly #openStore: () => Promise<ObjectStore>;
  #store: Promise<ObjectStore> | undefined;

  constructor(openStore: () => Promise<ObjectStore>) {
    this.#openStore = openStore;
  }

  /**
   * A frame as a message: at once where it is small, else when the store has it.
   *
   * @typeParam Header What may be sent there, as for {@link encodeFrame}.
   * @param address Whom to tell when it is too large for the reader.
   */
  pack<Header extends object = never>(
    header: NoInfer<Header>,
    body = '',
    address?: Address,
  ): Packed | Promise<Packed> {
    const bytes = encodeFrame<Header>(header, body);
    return bytes.length <= MESSAGE_BYTES ? { bytes } : this.#put(bytes, address);
  }

  /**
   * The only frame of a message: at once where it is small, else when it is here.
   *
   * @param maxBytes The largest frame that is taken.
   * @param keep Leave a stored one where it is, for whoever must read it again.
   * @throws {FrameError} It is no frame, or over the limit.
   */
  unpack(message: Uint8Array, maxBytes: number, keep = false): Frame | Promise<Frame> {
    return this.fetch(readFrame(message, maxBytes), maxBytes, keep);
  }

  /** A frame as it was before it was packed. */
  fetch(frame: Frame, maxBytes: number, keep = false): Frame | Promise<Frame> {
    // Most are not stored: that is seen without the cost of a schema that fails.
    if (typeof frame.header !== 'object' || !Object.hasOwn(frame.header ?? {}, 'stored')) {
      return frame;
    }
    const stored = storedFrameSchema.safeParse(frame.header);
    if (!stored.success) return frame;
    const { stored: held, address } = stored.data;
    if (held.bytes > maxBytes) {
      const over = `A frame of ${held.bytes} bytes; at most ${maxBytes} are taken.`;
      throw new StoredFrameError(over, address, {
        size: { limit: maxBytes, used: held.bytes },
      });
    }
    return this.#get(held.name, maxBytes, keep).catch((cause: unknown) => {
      const why = 'A value could not be had from the object store.';
      throw new StoredFrameError(why, address, { size: undefined, cause });
    });
  }

  /** Deletes a stored frame. What cannot be deleted, the store forgets by its age. */
  async discard(name: string): Promise<void> {
    try {
      await (await this.#opened()).delete(name);
    } catch {
      // The server is away, or somebody was faster.
    }
  }

  async #opened(): Promise<ObjectStore> {
    this.#store ??= this.#openStore();
    try {
      return await this.#store;
    } catch (error) {
      this.#store = undefined;
      throw error;
    }
  }

  async #put(bytes: Uint8Array, address: Address | undefined): Promise<Packed> {
    const name = unguessable();
    const store = await this.#opened();
    await store.putBlob({ name }, bytes);
    const stored = { name, bytes: bytes.length };
    return { bytes: encodeFrame<StoredFrame>({ stored, address }), stored: name };
  }

  async #get(name: string, maxBytes: number, keep: boolean): Promise<Frame> {
    const store = await this.#opened();
    const found = await store.get(name);
    if (found === null) throw new FrameError('A stored frame is not there.');
    const chunks: Uint8Array[] = [];
    let held = 0;
    // What the store says of its size is the sender's word.
    for await (const chunk of found.data) {
      held += chunk.length;
      if (held > maxBytes + 8) throw new FrameError('A stored frame is larger than it said.');
      chunks.push(chunk);
    }
    // It says null, but undefined comes where all went well.
    const error: unknown = await found.error;
    if (error instanceof Error) throw error;
    if (!keep) void this.discard(name);
    return readFrame(Buffer.concat(chunks), maxBytes);
  }
}

/**
 * The frames of a message.
 *
 * @throws {FrameError} It has what is none, or one that is over the limit.
 */
export function readFrames(message: Uint8Array, maxBytes: number): readonly Frame[] {
  const buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const reader = new FrameReader(maxBytes);
  const frames = [...reader.push(buffer)];
  if (frames.length === 0) throw new FrameError('A message is no frame.');
  return frames;
}

function readFrame(message: Uint8Array, maxBytes: number): Frame {
  const [frame, ...more] = readFrames(message, maxBytes);
  if (frame === undefined || more.length > 0) throw new FrameError('A message is no frame.');
  return frame;
}
