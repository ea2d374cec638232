import type { CallOptions } from "../call-options.ts";
import { get, once } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { Encryption } from "../types/access.ts";

/** The keys that seal secrets in the store. For the operator's key. */
export class EncryptionKeys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * How many values each key seals, and how far an exchange of the key is.
   *
   * @example
   * ```ts
   * const { keys, rotation } = await postdate.encryption.status();
   * ```
   */
  async status(options?: CallOptions): Promise<Encryption> {
    return this.#transport.request(get("/v1/encryption"), options);
  }

  /**
   * Seals everything anew with the present key of the nodes, in the background. A server that keeps its key in the
   * data folder makes a new one first.
   *
   * @example
   * ```ts
   * const { rotation } = await postdate.encryption.rotate();
   * ```
   */
  async rotate(options?: CallOptions): Promise<Encryption> {
    return this.#transport.request(once("POST", "/v1/encryption/rotate"), options);
  }
}
