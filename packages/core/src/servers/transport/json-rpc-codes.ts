/** Error codes of https://www.jsonrpc.org/specification, and two codes of this server. */
export const JSON_RPC_CODES = {
  PARSE_ERROR: -32_700,
  INVALID_REQUEST: -32_600,
  METHOD_NOT_FOUND: -32_601,
  INVALID_PARAMS: -32_602,
  INTERNAL_ERROR: -32_603,
  SERVER_BUSY: -32_000,
  SERVER_CLOSING: -32_001,
} as const;

/** An error response of a method. */
export class JsonRpcFailure extends Error {
  override readonly name = 'JsonRpcFailure';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
