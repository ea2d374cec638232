import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../../platform/clock.ts";

/**
 * One commit that several calls share. Claims and counters in memory change together with it:
 * `onRollback` undoes them, `afterCommit` tells the callers.
 */
export class Transaction {
  readonly #db: DatabaseSync;
  readonly #clock: Pick<Clock, "monotonic">;
  #open = false;
  #afterCommit: (() => void)[] = [];
  #onRollback: (() => void)[] = [];

  #commitMs = 0;

  constructor(db: DatabaseSync, clock: Pick<Clock, "monotonic">) {
    this.#db = db;
    this.#clock = clock;
  }

  /** How long the last commit took. */
  get commitMs(): number {
    return this.#commitMs;
  }

  /** Runs the work and commits it, or undoes all of it and throws. */
  run(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    this.#complete(work, () => {
      const begun = this.#clock.monotonic();
      this.#db.exec("COMMIT");
      this.#commitMs = this.#clock.monotonic() - begun;
    });
  }

  /** The same for work that only reads the database. A failure undoes its changes in memory. */
  runReading(work: () => void): void {
    this.#complete(work, () => {});
  }

  #complete(work: () => void, commit: () => void): void {
    this.#open = true;
    try {
      work();
      commit();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
    const effects = this.#afterCommit;
    this.#reset();
    for (const effect of effects) effect();
  }

  /** Outside a transaction there is nothing to wait for, so the effect happens at once. */
  afterCommit(effect: () => void): void {
    if (this.#open) this.#afterCommit.push(effect);
    else effect();
  }

  onRollback(undo: () => void): void {
    if (this.#open) this.#onRollback.push(undo);
  }

  #rollBack(): void {
    try {
      // A failed COMMIT may have rolled back by itself.
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
    } finally {
      for (const undo of this.#onRollback.toReversed()) undo();
      this.#reset();
    }
  }

  #reset(): void {
    this.#open = false;
    this.#afterCommit = [];
    this.#onRollback = [];
  }
}
