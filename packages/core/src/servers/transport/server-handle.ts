/** A server that is running. */
export interface ServerHandle {
  /** Resolves when it has ended: it was closed, or its only client is gone. */
  readonly closed: Promise<void>;
  /**
   * Takes no further calls, lets those under way end within the grace time, aborts what is left,
   * and ends. The executor stays open.
   */
  close(): Promise<void>;
}
