import type { ClientSecret } from "../access/oauth.ts";
import { tokenRequest } from "../access/oauth.ts";
import { ownError } from "../own-error.ts";
import { Deadline } from "../transport/deadline.ts";
import type { Transport } from "../transport/transport.ts";
import type { AccessToken } from "../types/access.ts";
import type { Credentials } from "./credentials.ts";

interface Renewal {
  readonly token: Promise<string>;
  readonly end: Deadline;
  sharedUntil: number;
  waiting: number;
}

/** Later callers do not join a request that takes longer, so that a hanging one holds nobody up. */
const sharedMs = 10_000;

/**
 * Access tokens of an OAuth client. Callers share one token, and one request for the next. That request is sent
 * once: the call that needs the token tries again. It ends when nobody waits for it any more.
 */
export class ClientCredentials implements Credentials {
  readonly #transport: Transport;
  readonly #client: ClientSecret;
  #token = "";
  /** From here on the next call gets a new one. */
  #renewAt = 0;
  #renewal: Renewal | undefined;

  constructor(transport: Transport, client: ClientSecret) {
    this.#transport = transport;
    this.#client = client;
  }

  async current(deadline: Deadline): Promise<string> {
    const now = performance.now();
    if (now < this.#renewAt) return this.#token;
    let renewal = this.#renewal;
    if (!renewal || now >= renewal.sharedUntil) {
      const end = new Deadline(Infinity);
      const token = this.#renew(now, end);
      this.#renewal = renewal = { token, end, sharedUntil: now + sharedMs, waiting: 0 };
    }
    renewal.waiting++;
    try {
      return await deadline.race(renewal.token);
    } catch (failure) {
      throw ownError(failure, { mayHaveTakenEffect: false });
    } finally {
      if (--renewal.waiting === 0) {
        renewal.sharedUntil = now;
        renewal.end.abort();
      }
    }
  }

  replaces(refused: string): boolean {
    // Another caller may have replaced it already.
    if (this.#token === refused) this.#renewAt = 0;
    return true;
  }

  async #renew(now: number, deadline: Deadline): Promise<string> {
    const { access_token: token, expires_in: seconds } =
      await this.#transport.sendOnce<AccessToken>(tokenRequest(this.#client), {
        deadline,
        sent: 0,
      });
    const lifetimeMs = seconds * 1_000;
    this.#token = token;
    // Early enough that a request on its way does not meet the end of its token.
    this.#renewAt = now + lifetimeMs - Math.min(60_000, lifetimeMs / 5);
    return token;
  }
}
