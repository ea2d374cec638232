import type { AuditEntry, AuditNote } from "../../../src/domain/audit.ts";
import type { Instant } from "../../../src/domain/message.ts";
import type { AuditQuery } from "../../../src/storage/store.ts";
import { SortedList } from "./sorted-list.ts";

/** The newest comes first. */
function byAge(one: AuditEntry, other: AuditEntry): number {
  if (one.time !== other.time) return other.time - one.time;
  return one.entryId > other.entryId ? -1 : Number(one.entryId < other.entryId);
}

export class AuditLog {
  readonly #entries = new SortedList(byAge);
  readonly #ids = new Set<string>();

  /**
   * Writes all notes or none. Callers write before the change that the notes describe. If this throws, the
   * change must not happen.
   */
  write(time: Instant, ...notes: readonly AuditNote[]): void {
    for (const { entryId } of notes) {
      if (this.#ids.has(entryId)) throw new Error(`there is an entry ${entryId} already`);
    }
    for (const note of notes) {
      this.#ids.add(note.entryId);
      this.#entries.add({ ...note, time });
    }
  }

  list({ accountId, minTime, maxTime, after, limit }: AuditQuery): AuditEntry[] {
    return this.#entries
      .all()
      .filter((entry) => accountId === null || entry.accountId === accountId)
      .filter(({ time }) => time >= (minTime ?? -Infinity) && time <= (maxTime ?? Infinity))
      .filter(
        ({ time, entryId }) =>
          after === null || time < after.time || (time === after.time && entryId < after.entryId),
      )
      .take(limit)
      .toArray();
  }

  /** Removes the oldest first. */
  forgetUntil(time: Instant, limit: number): number {
    for (let forgotten = 0; ; forgotten++) {
      const oldest = this.#entries.last;
      if (oldest === undefined || oldest.time > time || forgotten === limit) return forgotten;
      this.#entries.remove(oldest);
      this.#ids.delete(oldest.entryId);
    }
  }
}
