import type { Instant, Message } from "../domain/message.ts";
import type { PlannedByJob } from "./job-store.ts";

/** What a commit planned that is not of a caller who schedules: the earliest message of each target. */
export class PlannedMessages<Planned extends PlannedByJob = PlannedByJob> {
  readonly #earliest = new Map<number, Planned>();
  #nextBound: Instant | null = null;

  /** `target` has the message's time. */
  add(target: Planned, { options }: Message): void {
    const earlier = this.#earliest.get(target.targetKey);
    if (earlier === undefined || target.dueAt < earlier.dueAt) {
      this.#earliest.set(target.targetKey, target);
    }
    const bound = options?.notAfter;
    if (bound !== undefined) this.#nextBound = Math.min(this.#nextBound ?? bound, bound);
  }

  get planned(): Planned[] {
    return [...this.#earliest.values()];
  }

  /** The earliest `notAfter`; null: no message has one. */
  get nextBound(): Instant | null {
    return this.#nextBound;
  }
}
