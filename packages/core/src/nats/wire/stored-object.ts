import { createHash } from 'node:crypto';

import { FrameError } from '@glovebox/protocol/frame';
import type { JetStreamManager, MsgRequest } from '@nats-io/jetstream';
import { z } from 'zod';

/** The fields of an object's metadata that reading needs. The object store writes more. */
const metadataSchema = z.object({
  nuid: z.string().regex(/^[\w-]{1,64}$/),
  size: z.int().min(0),
  digest: z.string().regex(/^SHA-256=[\w-]{43}=$/),
  deleted: z.boolean().optional(),
});

/**
 * Reads an object of an object store, message by message.
 *
 * The client's own `get` reads through a consumer. A user who may create consumers of the stream can have
 * the server publish stored messages on any subject, also in the name of others; this needs no more than
 * the permission to get single messages. Links to other objects are not followed.
 *
 * @param maxBytes The sizes that the metadata declares come from the sender, who is not trusted.
 * @throws {FrameError} There is no such object, or it is not what its metadata declares.
 */
export async function readStoredObject(
  manager: JetStreamManager,
  bucket: string,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  const stream = `OBJ_${bucket}`;
  const encoded = Buffer.from(name).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  const entry = await manager.streams.getMessage(stream, {
    last_by_subj: `$O.${bucket}.M.${encoded}`,
  });
  const metadata = metadataSchema.safeParse(entry?.json());
  if (!metadata.success || metadata.data.deleted === true) {
    throw new FrameError('A stored frame does not exist.');
  }
  const { nuid, size, digest } = metadata.data;
  const chunks: Uint8Array[] = [];
  const hash = createHash('sha256');
  let readBytes = 0;
  for (let seq = 1; readBytes < size;) {
    // The server knows this request since version 2.9; the client's type does not have it.
    const next = { seq, next_by_subj: `$O.${bucket}.C.${nuid}` } as MsgRequest;
    const chunk = await manager.streams.getMessage(stream, next);
    if (chunk === null) throw new FrameError('A part of a stored frame does not exist.');
    readBytes += chunk.data.length;
    if (readBytes > maxBytes) {
      throw new FrameError('A stored frame is larger than its sender declared.');
    }
    hash.update(chunk.data);
    chunks.push(chunk.data);
    seq = chunk.seq + 1;
  }
  if (`SHA-256=${hash.digest('base64url')}=` !== digest) {
    throw new FrameError('A stored frame does not match its digest.');
  }
  return Buffer.concat(chunks);
}
