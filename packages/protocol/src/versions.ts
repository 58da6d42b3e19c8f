/**
 * The protocol between a parent process and its hosts. Changes whenever a message changes in a way
 * that the other side must know.
 */
export const PROTOCOL_VERSION = 2;
