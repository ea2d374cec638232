import type { Clock } from "../../platform/clock.ts";

/** How long a key may still be refused after it is published, if a token asked for it too early. */
const rememberMs = 5_000;
const mostRemembered = 1_000;
/** Strangers choose the names, so long ones are not remembered. */
const longestName = 200;

/** Key ids that an issuer was recently asked for and does not have. */
export class MissingKeys {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Until when each is remembered. The first entry ends first. */
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  has(keyId: string | undefined): boolean {
    const until = keyId === undefined ? undefined : this.#until.get(keyId);
    return until !== undefined && this.#clock.monotonic() < until;
  }

  add(keyId: string | undefined): void {
    // A token without a key id may be signed with any key, and the next one with another key.
    if (keyId === undefined || keyId.length > longestName) return;
    this.#until.delete(keyId);
    if (this.#until.size >= mostRemembered) this.#until.delete(this.#until.keys().next().value!);
    this.#until.set(keyId, this.#clock.monotonic() + rememberMs);
  }
}
