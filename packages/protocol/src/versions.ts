/**
 * Version of the protocol between a parent process and its hosts. Increase it with every
 * incompatible change of a message.
 */
export const PROTOCOL_VERSION = 2;
