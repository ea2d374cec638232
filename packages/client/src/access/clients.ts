import type { CallOptions } from "../call-options.ts";
import { find, get, once, path } from "../transport/api-request.ts";
import type { Transport } from "../transport/transport.ts";
import type {
  Client,
  ClientWithSecret,
  CreateClient,
  RotateClientSecret,
} from "../types/access.ts";

/** The OAuth clients of the account. */
export class Clients {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a client. Its secret is in the answer, and never shown again.
   *
   * @example
   * ```ts
   * const { clientId, clientSecret } = await postdate.clients.create({
   *   name: "billing",
   *   scopes: ["scheduler.messages.readwrite"],
   * });
   * console.log("keep these:", clientId, clientSecret);
   * ```
   */
  async create(client: CreateClient, options?: CallOptions): Promise<ClientWithSecret> {
    return this.#transport.request(once("POST", "/v1/clients", client), options);
  }

  /**
   * All clients of the account.
   *
   * @example
   * ```ts
   * for (const { clientId, name } of await postdate.clients.list()) console.log(clientId, name);
   * ```
   */
  async list(options?: CallOptions): Promise<Client[]> {
    return this.#transport.field("items", get("/v1/clients"), options);
  }

  /**
   * The client, or null if there is none with this id.
   *
   * @example
   * ```ts
   * const client = await postdate.clients.get("cli_4t9w2m7q1x8c5v3b6n0z");
   * console.log(client?.scopes ?? "no such client");
   * ```
   */
  async get(clientId: string, options?: CallOptions): Promise<Client | null> {
    return this.#transport.request(find(path`/v1/clients/${clientId}`, "E-DI-1003"), options);
  }

  /**
   * Removes a client. Its tokens are refused at once.
   *
   * @example
   * ```ts
   * await postdate.clients.remove("cli_4t9w2m7q1x8c5v3b6n0z");
   * ```
   */
  async remove(clientId: string, options?: CallOptions): Promise<Client> {
    return this.#transport.request(once("DELETE", path`/v1/clients/${clientId}`), options);
  }

  /**
   * Gives the client a new secret. The old one is also accepted for a while.
   *
   * @example
   * ```ts
   * const { clientSecret } = await postdate.clients.rotateSecret("cli_4t9w2m7q1x8c5v3b6n0z");
   * console.log("keep this:", clientSecret);
   * ```
   */
  async rotateSecret(
    clientId: string,
    rotation?: RotateClientSecret,
    options?: CallOptions,
  ): Promise<ClientWithSecret> {
    return this.#transport.request(
      once("POST", path`/v1/clients/${clientId}/rotate-secret`, rotation),
      options,
    );
  }
}
