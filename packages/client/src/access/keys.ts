import type { CallOptions } from "../call-options.ts";
import { get, once, path } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type { AccessKey, AccessKeyWithKey, CreateKey } from "../types/access.ts";

/** The API keys of the account. */
export class Keys {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a key. It is in the answer, and never shown again.
   *
   * @example
   * ```ts
   * const { key } = await postdate.keys.create({
   *   name: "billing worker",
   *   scopes: ["scheduler.messages.readwrite"],
   * });
   * console.log("keep this:", key);
   * ```
   */
  async create(key: CreateKey, options?: CallOptions): Promise<AccessKeyWithKey> {
    return this.#transport.request(once("POST", "/v1/keys", key), options);
  }

  /**
   * All keys of the account, without the keys themselves.
   *
   * @example
   * ```ts
   * for (const { keyId, name } of await postdate.keys.list()) console.log(keyId, name);
   * ```
   */
  async list(options?: CallOptions): Promise<AccessKey[]> {
    return this.#transport.field("items", get("/v1/keys"), options);
  }

  /**
   * Revokes a key at once.
   *
   * @example
   * ```ts
   * await postdate.keys.revoke("key_4t9w2m7q1x8c5v3b6n0z");
   * ```
   */
  async revoke(keyId: string, options?: CallOptions): Promise<AccessKey> {
    return this.#transport.request(once("DELETE", path`/v1/keys/${keyId}`), options);
  }
}
