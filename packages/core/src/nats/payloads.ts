import { encodeFrame, FrameError, FrameReader } from '@glovebox/worker';
import type { Frame } from '@glovebox/worker';
import type { ObjectStore } from '@nats-io/obj';

import { storedFrameSchema } from './messages.ts';
import type { Address } from './messages.ts';
import { unguessable } from './subjects.ts';

/** What is larger goes through the object store; servers take messages of 1 MiB unless told. */
const MESSAGE_BYTES = 512 * 1024;

/** A frame on its way out. */
export interface Packed {
  readonly bytes: Uint8Array;
  /** The object that holds it, where it is too large for a message. */
  readonly stored?: string;
}

/** A stored frame is over the limit of its reader. */
export class TooLargeError extends FrameError {
  readonly used: number;
  readonly limit: number;
  readonly address: Address | undefined;

  constructor(used: number, limit: number, address: Address | undefined) {
    super(`A frame of ${used} bytes; at most ${limit} are taken.`);
    this.used = used;
    this.limit = limit;
    this.address = address;
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
   * @param address Whom to tell when it is too large for the reader.
   */
  pack(header: object, body = '', address?: Address): Packed | Promise<Packed> {
    const bytes = encodeFrame(header, body);
    return bytes.length <= MESSAGE_BYTES ? { bytes } : this.#put(bytes, address);
  }

  /**
   * The frame of a message: at once where it is small, else when it is here.
   *
   * @param maxBytes The largest frame that is taken.
   * @param keep Leave a stored one where it is, for whoever must read it again.
   * @throws {FrameError} It is no frame, or over the limit.
   */
  unpack(message: Uint8Array, maxBytes: number, keep = false): Frame | Promise<Frame> {
    const frame = readFrame(message, maxBytes);
    const stored = storedFrameSchema.safeParse(frame.header);
    if (!stored.success) return frame;
    const { name, bytes } = stored.data.stored;
    if (bytes > maxBytes) throw new TooLargeError(bytes, maxBytes, stored.data.address);
    return this.#get(name, maxBytes, keep);
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
    return { bytes: encodeFrame({ stored, address }), stored: name };
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
    const error = await found.error;
    if (error !== null) throw error;
    if (!keep) void this.discard(name);
    return readFrame(Buffer.concat(chunks), maxBytes);
  }
}

/**
 * The one frame of a message.
 *
 * @throws {FrameError} It is none, or over the limit.
 */
function readFrame(message: Uint8Array, maxBytes: number): Frame {
  const buffer = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  const [frame, ...more] = new FrameReader(maxBytes).push(buffer);
  if (frame === undefined || more.length > 0) throw new FrameError('A message is no frame.');
  return frame;
}
