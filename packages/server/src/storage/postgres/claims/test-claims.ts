import type { Holder } from "../../store.ts";

/**
 * The test deliveries of this process. Each is a row among the claims, for a message that does not
 * exist. So it counts against its target's concurrency on every node, and becomes void when this
 * node's membership ends. A test is known here from before its row is made until just before the
 * row is removed: any other such row is lost.
 */
export class TestClaims {
  readonly #known = new Set<string>();
  #membership: Holder | undefined;

  /** Undefined while this process has no membership. */
  get membership(): Holder | undefined {
    return this.#membership;
  }

  begin(membership: Holder): void {
    this.#membership = membership;
  }

  end({ epoch }: Holder): void {
    if (this.#membership?.epoch === epoch) this.#membership = undefined;
  }

  add(testKey: string): void {
    this.#known.add(testKey);
  }

  drop(testKey: string): void {
    this.#known.delete(testKey);
  }

  /** The keys of their rows. */
  keys(): string[] {
    return [...this.#known];
  }
}
