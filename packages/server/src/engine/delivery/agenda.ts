import type { Instant } from "../../domain/message.ts";

/** A target has something due. */
export interface Due {
  readonly dueAt: Instant;
  readonly targetKey: number;
  /** Null when the account of the target is not known yet. */
  readonly accountId: string | null;
}

interface Entry extends Due {
  dueAt: Instant;
}

/**
 * When each target has something due: one instant a target, the earliest known. An instant may be too
 * early (the message was cancelled since), never too late. Waking for nothing is cheap.
 *
 * A binary heap that also stores the index of each target, so that it never holds a target twice.
 */
export class Agenda {
  readonly #heap: Entry[] = [];
  readonly #position = new Map<number, number>();

  get size(): number {
    return this.#heap.length;
  }

  get nextDueAt(): Instant | undefined {
    return this.#heap[0]?.dueAt;
  }

  note(targetKey: number, accountId: string | null, dueAt: Instant): void {
    const position = this.#position.get(targetKey);
    if (position === undefined) {
      this.#heap.push({ dueAt, targetKey, accountId });
      this.#rise(this.#heap.length - 1);
      return;
    }
    const entry = this.#heap[position]!;
    if (entry.dueAt <= dueAt) return;
    entry.dueAt = dueAt;
    this.#rise(position);
  }

  /** Takes up to `most` targets that are due by now off the agenda, the longest due first. */
  takeDue(now: Instant, most = Infinity): Due[] {
    const due: Due[] = [];
    for (let top = this.#heap[0]; top !== undefined && top.dueAt <= now; top = this.#heap[0]) {
      if (due.length >= most) break;
      due.push(top);
      this.#removeTop(top);
    }
    return due;
  }

  #removeTop(top: Entry): void {
    this.#position.delete(top.targetKey);
    const last = this.#heap.pop()!;
    if (last === top) return;
    this.#heap[0] = last;
    this.#sink();
  }

  #rise(from: number): void {
    const entry = this.#heap[from]!;
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#heap[parent]!.dueAt <= entry.dueAt) break;
      this.#put(this.#heap[parent]!, index);
      index = parent;
    }
    this.#put(entry, index);
  }

  #sink(): void {
    const entry = this.#heap[0]!;
    const { length } = this.#heap;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#heap[child + 1]!.dueAt < this.#heap[child]!.dueAt) child++;
      if (this.#heap[child]!.dueAt >= entry.dueAt) break;
      this.#put(this.#heap[child]!, index);
      index = child;
    }
    this.#put(entry, index);
  }

  #put(entry: Entry, index: number): void {
    this.#heap[index] = entry;
    this.#position.set(entry.targetKey, index);
  }
}
