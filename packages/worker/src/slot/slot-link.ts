import { Socket } from 'node:net';
import type { MessagePort } from 'node:worker_threads';

import { encodeFrame, FrameReader } from '@glovebox/protocol/frame';
import type { Frame } from '@glovebox/protocol/frame';
import type {
  SlotCommand,
  SlotCommandHeader,
  SlotEvent,
  SlotEventHeader,
} from '@glovebox/protocol/slot-messages';

/** The way between a slot and its pool: a port within the process, or a pipe to the parent's. */
export type SlotLinkData =
  | { readonly kind: 'port'; readonly port: MessagePort }
  | { readonly kind: 'pipe'; readonly fd: number };

/** The slot's end of it. */
export interface SlotLink {
  send(event: SlotEvent): void;
  close(): void;
}

/** Opens the slot's end, in the thread of the slot: nobody else wakes up for a message. */
export function openSlotLink(
  data: SlotLinkData,
  receive: (command: SlotCommand) => void,
): SlotLink {
  return data.kind === 'port' ? openPort(data.port, receive) : openPipe(data.fd, receive);
}

function openPort(port: MessagePort, receive: (command: SlotCommand) => void): SlotLink {
  port.on('message', receive);
  return { send: (event) => port.postMessage(event), close: () => port.close() };
}

function openPipe(fd: number, receive: (command: SlotCommand) => void): SlotLink {
  const pipe = new Socket({ fd, readable: true, writable: true });
  // The parent is trusted with the size of what it sends.
  const reader = new FrameReader(2 ** 31);
  pipe.on('data', (chunk: Buffer) => {
    for (const frame of reader.push(chunk)) receive(commandOf(frame));
  });
  // A parent that is gone closes the host's own pipe, too, and the host ends.
  pipe.on('error', () => undefined);
  return {
    send({ text, ...header }) {
      pipe.write(encodeFrame<SlotEventHeader>(header, text));
    },
    close: () => pipe.destroy(),
  };
}

function commandOf({ header, body }: Frame): SlotCommand {
  // The parent made it: a cast is enough on this side.
  const command = header as SlotCommandHeader;
  switch (command.type) {
    case 'run':
      return { ...command, job: { ...command.job, variables: body } };
    case 'reply':
      return { ...command, text: body };
    case 'stop':
      return command;
  }
}
