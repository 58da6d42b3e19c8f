/** A running server. */
export interface ServerHandle {
  /** Resolves when the server has ended: it was closed, or its only client disconnected. */
  readonly closed: Promise<void>;
  /**
   * Refuses new calls, waits for running calls within the grace time, aborts the rest, and ends.
   * The executor stays open.
   */
  close(): Promise<void>;
}
