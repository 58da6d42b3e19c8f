/** The file descriptor of the host's own pipe to the parent. */
export const HOST_PIPE = 3;

/** The file descriptor of a slot's pipe to the parent. Slots are numbered from 0. */
export function slotPipe(slot: number): number {
  return HOST_PIPE + 1 + slot;
}
