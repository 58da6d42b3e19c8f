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

/** How a slot is connected to its pool: a port in the same process, or a pipe to the parent process. */
export type SlotLinkData =
  | { readonly kind: 'port'; readonly port: MessagePort }
  | { readonly kind: 'pipe'; readonly fd: number };

/** The slot's end of the connection. */
export interface SlotLink {
  send(event: SlotEvent): void;
  close(): void;
}

/** Opens the slot's end in the slot's own thread, so that no other thread handles its messages. */
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
  // The parent is trusted, so the size of its frames is not limited.
  const reader = new FrameReader(2 ** 31);
  pipe.on('data', (chunk: Buffer) => {
    for (const frame of reader.push(chunk)) receive(commandOf(frame));
  });
  // No action is needed: if the parent ends, the host's own pipe closes as well, and the host ends.
  pipe.on('error', () => undefined);
  return {
    send({ text, ...header }) {
      pipe.write(encodeFrame<SlotEventHeader>(header, text));
    },
    close: () => pipe.destroy(),
  };
}

function commandOf({ header, body }: Frame): SlotCommand {
  // The parent is trusted, so its messages are not validated here.
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
