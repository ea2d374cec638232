import { codes, RequestLimited } from "../../domain/refusals.ts";
import type { Clock } from "../../platform/clock.ts";
import { pause } from "../../platform/timers.ts";
import type { Timers } from "../../platform/timers.ts";

/** Something that is counted for a while. Its view may be asked for at any time. */
export interface RunningLook<View> {
  readonly ended: Promise<void>;
  /** What is known until now. */
  view(): View;
  /** How long the view may be shown after the end. */
  freshMs(): number;
}

export interface RememberedLooksOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly timers: Timers;
}

interface Remembered {
  readonly look: RunningLook<unknown>;
  readonly lastAsked: { at: number };
  freshUntil: number;
}

export interface Asked {
  /** Whether nobody has asked for it lately. */
  isForgotten(): boolean;
}

/** How long a caller waits for the end. Then the view says what is known until then. */
const patienceMs = 500;
/** A look that nobody asks for any more ends. */
const forgottenMs = 30_000;
/** How many different answers of one account are remembered or being counted. */
const mostOfOne = 8;
/** Accounts that ask no more are forgotten now and then. */
const sweepEveryMs = 1_000;
/** A refused caller may find room after this. */
const retryAfterMs = 2_000;

/**
 * Answers that are counted on request and remembered for a while. Callers that ask for the same share one count,
 * and none waits for longer than half a second.
 */
export class RememberedLooks {
  readonly #options: RememberedLooksOptions;
  readonly #accounts = new Map<string, Map<string, Remembered>>();
  #sweptAt = -Infinity;

  constructor(options: RememberedLooksOptions) {
    this.#options = options;
  }

  async get<View>(
    accountId: string,
    name: string,
    begin: (asked: Asked) => RunningLook<View>,
  ): Promise<View> {
    const remembered = this.#find(accountId, name) ?? this.#begin(accountId, name, begin);
    remembered.lastAsked.at = this.#options.clock.monotonic();
    const { look } = remembered;
    const waited = new AbortController();
    try {
      await Promise.race([look.ended, pause(this.#options.timers, patienceMs, waited.signal)]);
    } finally {
      waited.abort();
    }
    return look.view() as View;
  }

  #find(accountId: string, name: string): Remembered | undefined {
    const found = this.#accounts.get(accountId)?.get(name);
    return found !== undefined && found.freshUntil > this.#options.clock.monotonic()
      ? found
      : undefined;
  }

  #begin(
    accountId: string,
    name: string,
    begin: (asked: Asked) => RunningLook<unknown>,
  ): Remembered {
    const { clock } = this.#options;
    this.#sweep();
    const ofAccount = this.#accounts.get(accountId) ?? new Map<string, Remembered>();
    dropStale(ofAccount, clock.monotonic());
    makeRoom(ofAccount);
    const lastAsked = { at: clock.monotonic() };
    const look = begin({ isForgotten: () => clock.monotonic() - lastAsked.at > forgottenMs });
    const remembered: Remembered = { look, lastAsked, freshUntil: Infinity };
    this.#accounts.set(accountId, ofAccount.set(name, remembered));
    look.ended.then(
      () => (remembered.freshUntil = clock.monotonic() + look.freshMs()),
      () => (remembered.freshUntil = -Infinity),
    );
    return remembered;
  }

  #sweep(): void {
    const now = this.#options.clock.monotonic();
    if (now < this.#sweptAt + sweepEveryMs) return;
    this.#sweptAt = now;
    for (const [accountId, looks] of this.#accounts) {
      dropStale(looks, now);
      if (looks.size === 0) this.#accounts.delete(accountId);
    }
  }
}

function dropStale(looks: Map<string, Remembered>, now: number): void {
  for (const [name, { freshUntil }] of looks) if (freshUntil <= now) looks.delete(name);
}

/** The longest known goes, but none that is being counted: it would only be counted again. */
function makeRoom(looks: Map<string, Remembered>): void {
  if (looks.size < mostOfOne) return;
  for (const [name, { freshUntil }] of looks) {
    if (freshUntil !== Infinity) return void looks.delete(name);
  }
  throw new RequestLimited(retryAfterMs, {
    code: codes.tooManyRequests,
    message: `${mostOfOne} other statistics of this account are being counted. Ask again in a moment.`,
  });
}
