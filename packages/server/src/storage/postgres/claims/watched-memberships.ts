import type { Clock } from "../../../platform/clock.ts";

/** One renewal of a membership: each makes a new version of its row. */
export interface Renewal {
  readonly epoch: number;
  readonly version: string;
}

export interface LivingMembership extends Renewal {
  readonly leaseMs: number;
}

/**
 * A node uses four fifths of its lease, and others count all but this part of it. What is left between the two
 * is for the time that its last signs of life take.
 */
const countedShare = 0.9;

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
  silent(): Renewal[] {
    const now = this.#clock.monotonic();
    return [...this.#seen.values()]
      .filter(({ since, leaseMs }) => now - since >= leaseMs * countedShare)
      .map(({ epoch, version }) => ({ epoch, version }));
  }

  /** All memberships, as they were a moment ago at the latest. */
  note(living: readonly LivingMembership[]): void {
    const now = this.#clock.monotonic();
    this.#seen = new Map(
      living.map((each) => {
        const before = this.#seen.get(each.epoch);
        const since = before?.version === each.version ? before.since : now;
        return [each.epoch, { ...each, since }];
      }),
    );
  }
}
