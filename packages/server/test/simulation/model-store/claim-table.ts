import type { Instant } from "../../../src/domain/message.ts";
import type { RequestedChange } from "../../../src/domain/transitions.ts";
import type { ChangeResult } from "../../../src/storage/store.ts";

/** A claim that is still valid. */
export interface HeldClaim {
  readonly messageId: string;
  readonly targetKey: number;
  readonly version: number;
  readonly epoch: number;
  readonly generation: number;
  /** The changes that wait for the outcome, in order of arrival. */
  readonly waitingChanges: Set<WaitingChange>;
}

/** "again": the attempt ended without an outcome, and the caller can try the change again. */
export type ChangeAnswer = ChangeResult | "again";

export interface WaitingChange extends RequestedChange {
  readonly changeId: number;
  readonly claim: HeldClaim;
  readonly beginTime: Instant;
  readonly answer: Promise<ChangeAnswer>;
  /** Undefined until the change is decided. */
  answered: ChangeAnswer | undefined;
  tell(answer: ChangeAnswer): void;
}

/** Claims of all nodes, at most one for each message, and the changes that wait for their outcomes. */
export class ClaimTable {
  readonly #byMessage = new Map<string, HeldClaim>();
  readonly #countOf = new Map<number, number>();
  readonly #changes = new Map<number, WaitingChange>();
  #lastChangeId = 0;
  /** How many claims were taken or ended. */
  turnover = 0;

  get size(): number {
    return this.#byMessage.size;
  }

  /** How many changes wait for an attempt in flight. */
  get waiting(): number {
    let count = 0;
    for (const { waitingChanges } of this.#byMessage.values()) count += waitingChanges.size;
    return count;
  }

  all(): Iterable<HeldClaim> {
    return this.#byMessage.values();
  }

  ofEpoch(epoch: number): HeldClaim[] {
    return [...this.#byMessage.values()].filter((claim) => claim.epoch === epoch);
  }

  get(messageId: string): HeldClaim | undefined {
    return this.#byMessage.get(messageId);
  }

  countOf(targetKey: number): number {
    return this.#countOf.get(targetKey) ?? 0;
  }

  countAll(): number {
    let sum = 0;
    for (const count of this.#countOf.values()) sum += count;
    return sum;
  }

  take(claim: Omit<HeldClaim, "waitingChanges">): void {
    if (this.#byMessage.has(claim.messageId)) throw new Error(`${claim.messageId} is held already`);
    this.turnover++;
    this.#byMessage.set(claim.messageId, { ...claim, waitingChanges: new Set() });
    this.#countOf.set(claim.targetKey, this.countOf(claim.targetKey) + 1);
  }

  /** Changes that still wait for the outcome must be tried again. */
  end(claim: HeldClaim): void {
    for (const change of claim.waitingChanges) this.answer(change, "again");
    this.turnover++;
    this.#byMessage.delete(claim.messageId);
    this.#countOf.set(claim.targetKey, this.countOf(claim.targetKey) - 1);
  }

  beginToWait(claim: HeldClaim, asked: RequestedChange, beginTime: Instant): number {
    const { promise: answer, resolve: tell } = Promise.withResolvers<ChangeAnswer>();
    const changeId = ++this.#lastChangeId;
    const answered = undefined;
    const change = { ...asked, changeId, claim, beginTime, answer, answered, tell };
    this.#changes.set(changeId, change);
    claim.waitingChanges.add(change);
    return changeId;
  }

  findChange(changeId: number): WaitingChange | undefined {
    return this.#changes.get(changeId);
  }

  /** Keeps the answer until the caller takes it, or until that caller must be gone. */
  answer(change: WaitingChange, answer: ChangeAnswer): void {
    change.claim.waitingChanges.delete(change);
    change.answered = answer;
    change.tell(answer);
  }

  forgetChange(change: WaitingChange): void {
    change.claim.waitingChanges.delete(change);
    this.#changes.delete(change.changeId);
  }

  /** Removes the changes of callers that have died. Live callers stopped waiting long ago. */
  forgetChangesBegunBy(time: Instant, limit: number): number {
    const old = this.#changes
      .values()
      .filter(({ beginTime }) => beginTime <= time)
      .take(limit)
      .toArray();
    for (const change of old) this.forgetChange(change);
    return old.length;
  }
}
