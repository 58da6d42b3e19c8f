/** Why a server refuses a valid call. */
export type RefusalCode = 'SERVER_BUSY' | 'SERVER_CLOSING';

/** The server is at its limit of concurrent calls, or is closing: the call was not started. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
