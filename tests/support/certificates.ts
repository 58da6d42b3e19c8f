import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Files of a certificate and its key. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

/** Who vouches for certificates; made by `openssl`, and good for a day. */
export class Authority implements Disposable {
  readonly #folder = mkdtempSync(path.join(os.tmpdir(), 'glovebox-tls-'));
  readonly #own: Certificate = this.#filesOf('authority');

  constructor() {
    const { cert, key } = this.#own;
    this.#openssl(
      'req',
      '-x509',
      ...NEW_KEY,
      '-subj',
      '/CN=Authority',
      '-keyout',
      key,
      '-out',
      cert,
    );
  }

  /** The certificate that those must know who are to believe in the others. */
  get cert(): string {
    return this.#own.cert;
  }

  /** For servers on 127.0.0.1, and for their clients. */
  issue(name: string): Certificate {
    const { cert, key } = this.#filesOf(name);
    const request = `${key}.csr`;
    const extensions = `${key}.ext`;
    // The client of NATS takes any IP address for that name.
    writeFileSync(extensions, 'subjectAltName=DNS:localhost');
    this.#openssl('req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', key, '-out', request);
    const by = ['-CA', this.#own.cert, '-CAkey', this.#own.key, '-CAcreateserial', '-days', '1'];
    this.#openssl('x509', '-req', '-in', request, ...by, '-extfile', extensions, '-out', cert);
    return { cert, key };
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true });
  }

  #filesOf(name: string): Certificate {
    const file = path.join(this.#folder, name);
    return { cert: `${file}.pem`, key: `${file}.key` };
  }

  #openssl(...flags: readonly string[]): void {
    execFileSync('openssl', flags, { stdio: ['ignore', 'ignore', 'pipe'] });
  }
}
