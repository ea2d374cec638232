import type { Clock } from "../../platform/clock.ts";

/** So long a key may be published already and not be accepted yet, if it was asked for too early. */
const rememberMs = 5_000;
const mostRemembered = 1_000;
/** Strangers choose the names: what is remembered must not grow with them. */
const longestName = 200;

/** Names of keys that an issuer was asked for just now and does not have. */
export class MissingKeys {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Until when each is remembered, the first to be forgotten first. */
  readonly #until = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  has(keyId: string | undefined): boolean {
    const until = keyId === undefined ? undefined : this.#until.get(keyId);
    return until !== undefined && this.#clock.monotonic() < until;
  }

  add(keyId: string | undefined): void {
    // A token that names none may be signed with any key, and the next one with another.
    if (keyId === undefined || keyId.length > longestName) return;
    this.#until.delete(keyId);
    if (this.#until.size >= mostRemembered) this.#until.delete(this.#until.keys().next().value!);
    this.#until.set(keyId, this.#clock.monotonic() + rememberMs);
  }
}
