import { changesHolder } from "../../domain/message-key.ts";
import type { ScheduleRequest, ScheduleResult } from "../../storage/store.ts";

type Held = Extract<ScheduleResult, { kind: "held" }>;

interface Line {
  /** The indexes of the requests without an answer, in their order. */
  left: readonly number[];
  isHeld: boolean;
}

/**
 * The messages of a call in lines, one for each key, because each meets what the one before has made of the key.
 * If one is held, those behind it wait with it: they would meet a holder that is about to be replaced.
 */
export class KeyLines {
  readonly #requests: readonly ScheduleRequest[];
  #lines: Line[];

  constructor(requests: readonly ScheduleRequest[]) {
    this.#requests = requests;
    const indexes = [...requests.keys()];
    const byKey = Map.groupBy(indexes, (index) => keyOf(requests[index]!) ?? index);
    this.#lines = [...byKey.values()].map((left) => ({ left, isHeld: false }));
  }

  /** What can be asked for at once, in the order of the call. Nothing: all that is left is held. */
  nextTurn(): number[] {
    const open = this.#lines.filter(({ isHeld }) => !isHeld);
    return open.flatMap(({ left }) => left.slice(0, this.#askedTogether(left))).toSorted(byNumber);
  }

  /** Up to the first that may change the holder, and others of that kind behind it: they are held with it. */
  #askedTogether(left: readonly number[]): number {
    const changing = left.findIndex((index) => this.#changesHolder(index));
    if (changing === -1) return left.length;
    let end = changing + 1;
    while (end < left.length && this.#areHeldTogether(left[end - 1]!, left[end]!)) end++;
    return end;
  }

  /** The store keeps the answer to a request that may be repeated, so that one must not come too early. */
  #areHeldTogether(...indexes: readonly number[]): boolean {
    return indexes.every(
      (index) => this.#changesHolder(index) && this.#requests[index]!.idempotency === null,
    );
  }

  #changesHolder(index: number): boolean {
    return changesHolder(this.#requests[index]!.wantedKey);
  }

  /** Takes those with an answer out of their lines. */
  leave(asked: readonly number[], results: readonly ScheduleResult[]): void {
    const answered = new Set(asked.filter((index) => results[index]!.kind !== "held"));
    const held = new Set(asked.filter((index) => results[index]!.kind === "held"));
    for (const line of this.#lines) {
      line.left = line.left.filter((index) => !answered.has(index));
      line.isHeld ||= line.left.some((index) => held.has(index));
    }
    this.#lines = this.#lines.filter(({ left }) => left.length > 0);
  }

  held(results: readonly ScheduleResult[]): Held[] {
    return this.#lines.flatMap(({ left }) =>
      left.map((index) => results[index]).filter((result) => result?.kind === "held"),
    );
  }

  askAgain(): void {
    for (const line of this.#lines) line.isHeld = false;
  }

  /** The call waits no longer: those that are held have their answer, and those behind them meet the same holder. */
  refuseHeld(results: readonly ScheduleResult[]): void {
    for (const line of this.#lines) {
      line.left = line.left.filter((index) => results[index]?.kind !== "held");
      line.isHeld = false;
    }
    this.#lines = this.#lines.filter(({ left }) => left.length > 0);
  }

  /** The answers, if nobody waits for them: those that were not asked for are held as well. */
  endHeld(results: ScheduleResult[]): ScheduleResult[] {
    for (const { left } of this.#lines) {
      const first = results[left[0]!]!;
      for (const index of left) results[index] ??= first;
    }
    return results;
  }
}

function keyOf({ targetId, wantedKey }: ScheduleRequest): string | undefined {
  // Ids have no spaces.
  return wantedKey && `${targetId} ${wantedKey.key}`;
}

function byNumber(one: number, other: number): number {
  return one - other;
}
