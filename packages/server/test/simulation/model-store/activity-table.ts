import { activitySpans, addCounts, keptMs } from "../../../src/domain/activity.ts";
import type { ActivityAddition } from "../../../src/domain/activity.ts";
import type { Instant } from "../../../src/domain/message.ts";
import type { ActivityQuery, StoredActivity } from "../../../src/storage/store.ts";

/** The activity of targets and accounts, one row for each span of time. */
export class ActivityTable {
  #rows: ActivityAddition[] = [];

  add(addition: ActivityAddition): void {
    const place = this.#rows.findIndex((row) => isSameRow(row, addition));
    if (place === -1) this.#rows.push(addition);
    else {
      const counts = addCounts(this.#rows[place]!.counts, addition.counts);
      this.#rows[place] = { ...addition, counts };
    }
  }

  read({ accountId, span, from, until }: ActivityQuery, targetKey: number | null) {
    return this.#rows
      .filter((row) => isSameRow(row, { ...row, accountId, targetKey, span }))
      .filter(({ time }) => time >= from && time < until)
      .map(({ time, counts }): StoredActivity => ({ time, counts }))
      .toSorted((one, other) => one.time - other.time);
  }

  removeExpired(now: Instant, limit: number): number {
    return activitySpans.reduce(
      (removed, span) =>
        removed + this.#remove((row) => row.span === span && row.time < now - keptMs[span], limit),
      0,
    );
  }

  removeOf(accountId: string, limit: number): number {
    return this.#remove((row) => row.accountId === accountId, limit);
  }

  #remove(isWanted: (row: ActivityAddition) => boolean, limit: number): number {
    const gone = new Set(this.#rows.filter(isWanted).slice(0, limit));
    this.#rows = this.#rows.filter((row) => !gone.has(row));
    return gone.size;
  }
}

function isSameRow(one: ActivityAddition, other: ActivityAddition): boolean {
  const { accountId, targetKey, span, time } = other;
  return (
    one.accountId === accountId &&
    one.targetKey === targetKey &&
    one.span === span &&
    one.time === time
  );
}
