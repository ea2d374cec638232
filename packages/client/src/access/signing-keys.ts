import type { CallOptions } from "../call-options.ts";
import { get, once } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { RotateSigningKey, SigningKey } from "../types/access.ts";

/** The keys that sign access tokens. For the operator's key. */
export class SigningKeys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All signing keys, the oldest first.
   *
   * @example
   * ```ts
   * for (const { keyId, state } of await postdate.signingKeys.list()) console.log(keyId, state);
   * ```
   */
  async list(options?: CallOptions): Promise<SigningKey[]> {
    return this.#transport.field("items", get("/v1/signing-keys"), options);
  }

  /**
   * Makes a new signing key. `removeOld` ends all tokens issued so far.
   *
   * @example
   * ```ts
   * await postdate.signingKeys.rotate({ removeOld: true });
   * ```
   */
  async rotate(rotation?: RotateSigningKey, options?: CallOptions): Promise<SigningKey[]> {
    const request = once("POST", "/v1/signing-keys/rotate", rotation);
    return this.#transport.field("items", request, options);
  }
}
