import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A way to a port of this machine that can be cut. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(to: number) {
    this.#server = createServer((near) => {
      const far = connect(to, '127.0.0.1');
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        // What comes while it is cut goes nowhere, and nobody is told: as with a cable.
        socket.on('data', (chunk) => void (this.#isCut || other.write(chunk)));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  static async start(to: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(to);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    // A TCP server has such an address.
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Nothing passes any more, and nobody is told. */
  cut(): void {
    this.#isCut = true;
  }

  /** Whoever was connected has to connect anew. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.mend();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
