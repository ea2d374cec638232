import type { ClientSecret } from "../access/oauth.ts";
import { tokenRequest } from "../access/oauth.ts";
import type { Transport } from "../transport/transport.ts";
import type { AccessToken } from "../types/access.ts";
import type { Credentials } from "./credentials.ts";

interface HeldToken {
  readonly text: string;
  /** From here on the next call gets a new one. */
  readonly renewAt: number;
}

/** Access tokens of an OAuth client. Callers share one token, and one request for the next. */
export class ClientCredentials implements Credentials {
  readonly #request: () => Promise<AccessToken>;
  #held: HeldToken | undefined;
  #coming: Promise<string> | undefined;

  constructor(transport: Transport, client: ClientSecret) {
    this.#request = () => transport.request(tokenRequest(client));
  }

  current(): Promise<string> {
    if (this.#held !== undefined && Date.now() < this.#held.renewAt) {
      return Promise.resolve(this.#held.text);
    }
    this.#coming ??= this.#renew().finally(() => (this.#coming = undefined));
    return this.#coming;
  }

  replaces(refused: string): boolean {
    // Another caller may have replaced it already.
    if (this.#held?.text === refused) this.#held = undefined;
    return true;
  }

  async #renew(): Promise<string> {
    const askedAt = Date.now();
    const { access_token: text, expires_in: seconds } = await this.#request();
    const lifetimeMs = seconds * 1_000;
    // Early enough that a request on its way does not meet the end of its token.
    this.#held = { text, renewAt: askedAt + lifetimeMs - Math.min(60_000, lifetimeMs / 5) };
    return text;
  }
}
