/** Host functions by name; each takes one argument. */
export type HostFunctions = Readonly<Record<string, (input: never) => unknown>>;

/** Something that runs untrusted code, opened and ready. */
export interface Opened {
  /** Runs the body of an async function; rejects when it fails. */
  run(code: string, tools?: HostFunctions): Promise<unknown>;
  close(): Promise<void>;
}

export interface Contender {
  readonly name: string;
  /** Package and version. */
  readonly version: string;
  /** What stands between the code and the program. */
  readonly wall: string;
  /** Whether a fresh world is made for each run. */
  readonly fresh: boolean;
  /** Whether host functions are awaited in the guest. */
  readonly tools: boolean;
  open(): Promise<Opened>;
}
