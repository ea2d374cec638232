import type { Clock } from "../../../platform/clock.ts";

/** One renewal of a membership: each makes a new version of its row. */
export interface Renewal {
  readonly epoch: number;
  readonly version: string;
}

/** A membership whose node has not renewed it for at least so long. */
export interface Silence extends Renewal {
  readonly silentMs: number;
}

/** A membership as the store has it. `silentMs` is what nodes have seen of its silence, this one or others before. */
export interface LivingMembership extends Silence {
  readonly leaseMs: number;
}

/** A living node renews its membership at every quarter of its lease. */
const renewedShare = 0.3;

/**
 * How long this node has seen each membership without a renewal. The database's clock does not count here: it
 * may be set, and then the leases of nodes that are alive would seem to be over, and those of dead ones not.
 */
export class WatchedMemberships {
  readonly #clock: Pick<Clock, "monotonic">;
  #seen = new Map<number, LivingMembership & { readonly since: number }>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Those whose lease is over, as far as they have not been renewed since this node looked. */
  over(): Renewal[] {
    return this.#silentFor(1).map(({ epoch, version }) => ({ epoch, version }));
  }

  /** Those that a living node would have renewed, with the length of the silence. */
  quiet(): Silence[] {
    const now = this.#clock.monotonic();
    return this.#silentFor(renewedShare)
      .map(({ epoch, version, since }) => ({ epoch, version, silentMs: Math.floor(now - since) }))
      .toSorted((one, other) => one.epoch - other.epoch);
  }

  /** How soon the next one is over if nobody renews it; null: there is none. */
  nextOverMs(): number | null {
    const now = this.#clock.monotonic();
    const left = [...this.#seen.values()].map(({ since, leaseMs }) => since + leaseMs - now);
    return left.length === 0 ? null : Math.max(0, Math.min(...left));
  }

  /** All memberships, as they were a moment ago at the latest. Answers whether some are gone since the last time. */
  note(living: readonly LivingMembership[]): boolean {
    const now = this.#clock.monotonic();
    const before = this.#seen;
    this.#seen = new Map(
      living.map((each) => {
        const known = before.get(each.epoch);
        const since = known?.version === each.version ? known.since : now;
        return [each.epoch, { ...each, since: Math.min(since, now - each.silentMs) }];
      }),
    );
    return [...before.keys()].some((epoch) => !this.#seen.has(epoch));
  }

  #silentFor(share: number) {
    const now = this.#clock.monotonic();
    return [...this.#seen.values()].filter(({ since, leaseMs }) => now - since >= leaseMs * share);
  }
}
