/** Why a server does not take a call that is sound in itself. */
export type RefusalCode = 'SERVER_BUSY' | 'SERVER_CLOSING';

/** The server has too much to do, or is closing: the call was not begun. */
export class ServerRefusal extends Error {
  override readonly name = 'ServerRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.code = code;
  }
}
