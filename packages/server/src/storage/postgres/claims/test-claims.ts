import type { Holder } from "../../store.ts";

/**
 * The test deliveries of this process. Each is a row among the claims, of a message that does not exist:
 * so it counts against its target's concurrency on every node, and is void when this node's membership is over.
 * It is known here before its row is made and until the row is to go: any other such row is a lost one.
 */
export class TestClaims {
  readonly #known = new Set<string>();
  #membership: Holder | undefined;

  /** Undefined where this process has no membership. */
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
