import type { DatabaseSync } from "node:sqlite";

/**
 * One commit that several calls share. Claims and counters in memory change together with it:
 * `onRollback` undoes them, `afterCommit` tells the callers.
 */
export class Transaction {
  readonly #db: DatabaseSync;
  #open = false;
  #afterCommit: (() => void)[] = [];
  #onRollback: (() => void)[] = [];

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Runs the work and commits it, or undoes all of it and throws. */
  run(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    this.#complete(work, () => this.#db.exec("COMMIT"));
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
