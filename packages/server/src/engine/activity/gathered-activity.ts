import { addCounts, countAttempt, noActivity } from "../../domain/activity.ts";
import type { ActivityAddition, ObservedAttempt } from "../../domain/activity.ts";
import type { Instant } from "../../domain/message.ts";
import { beginningOf } from "../../domain/time-buckets.ts";

export interface AttemptOfTarget extends ObservedAttempt {
  readonly accountId: string;
  readonly targetKey: number;
  readonly endTime: Instant;
}

/** The attempts at one target, or of one account, that ended in one minute. */
export interface GatheredMinute {
  readonly accountId: string;
  /** Null: all targets of the account together. */
  readonly targetKey: number | null;
  readonly time: Instant;
  readonly counts: number[];
}

interface MinuteOfAll {
  readonly accounts: Map<string, GatheredMinute>;
  readonly targets: Map<number, GatheredMinute>;
}

/**
 * What has not been written yet, in memory. With `most` of targets and minutes it takes no further ones: their
 * attempts count for the account alone, as long as there is room for that.
 */
export class GatheredActivity {
  readonly #minutes = new Map<Instant, MinuteOfAll>();
  readonly #most: number;
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /** Answers whether there was room for all of it. */
  add(attempt: AttemptOfTarget): boolean {
    const { accountId, targetKey } = attempt;
    const time = beginningOf(attempt.endTime, "minute");
    const { accounts, targets } = this.#minuteOf(time);
    const ofAccount =
      accounts.get(accountId) ??
      this.#begin(accounts, accountId, { accountId, targetKey: null, time });
    const ofTarget =
      targets.get(targetKey) ?? this.#begin(targets, targetKey, { accountId, targetKey, time });
    if (ofAccount !== undefined) countAttempt(ofAccount.counts, attempt);
    if (ofTarget !== undefined) countAttempt(ofTarget.counts, attempt);
    return ofAccount !== undefined && ofTarget !== undefined;
  }

  /** Takes everything out, the minutes of one account side by side. */
  takeAll(): GatheredMinute[] {
    const all = [...this.#minutes.values()].flatMap(({ accounts, targets }) => [
      ...accounts.values(),
      ...targets.values(),
    ]);
    this.#minutes.clear();
    this.#size = 0;
    return all.toSorted((one, other) => compare(one.accountId, other.accountId));
  }

  #minuteOf(time: Instant): MinuteOfAll {
    const known = this.#minutes.get(time);
    if (known !== undefined) return known;
    const made = { accounts: new Map(), targets: new Map() };
    this.#minutes.set(time, made);
    return made;
  }

  #begin<Key>(
    minutes: Map<Key, GatheredMinute>,
    key: Key,
    whose: Omit<GatheredMinute, "counts">,
  ): GatheredMinute | undefined {
    if (this.#size >= this.#most) return undefined;
    const made = { ...whose, counts: noActivity() };
    minutes.set(key, made);
    this.#size++;
    return made;
  }
}

/** Each minute is added to its own row and to that of its hour. No row is there twice. */
export function additionsOf(minutes: readonly GatheredMinute[]): ActivityAddition[] {
  const hours = new Map<string, ActivityAddition>();
  for (const { accountId, targetKey, time: minute, counts } of minutes) {
    const time = beginningOf(minute, "hour");
    const name = JSON.stringify([accountId, targetKey, time]);
    const before = hours.get(name)?.counts ?? [];
    hours.set(name, {
      accountId,
      targetKey,
      span: "hour",
      time,
      counts: addCounts(before, counts),
    });
  }
  return [...minutes.map((minute) => ({ ...minute, span: "minute" as const })), ...hours.values()];
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
