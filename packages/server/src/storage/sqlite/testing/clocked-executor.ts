import { mkdirSync } from "node:fs";
import type { Clock } from "../../../platform/clock.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import type { Store } from "../../store.ts";
import { openDatabase } from "../database/open-database.ts";
import type { OpenDatabase } from "../database/open-database.ts";
import { Executor } from "../thread/executor.ts";
import type { ExecutorOptions } from "../thread/executor.ts";
import type { VerbName } from "../thread/verbs.ts";

/** A clock that a test sets. Each look at its monotonic time takes `lookMs`. */
export class SetClock implements Clock {
  wall: number;
  lookMs = 0;
  #passed = 0;

  constructor(wall: number) {
    this.wall = wall;
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    this.#passed += this.lookMs;
    return this.#passed;
  }
}

type Answer<Name extends VerbName> = Awaited<ReturnType<Store[Name]>>;

/** The database of the embedded store without its thread, whose clock cannot be set. Each call is one commit. */
export class ClockedExecutor implements Disposable {
  readonly database: OpenDatabase;
  readonly #executor: Executor;
  #isOpen = true;

  constructor(
    dataDir: string,
    clock: Clock,
    options: Partial<Omit<ExecutorOptions, "database" | "clock">> = {},
  ) {
    mkdirSync(dataDir, { recursive: true });
    this.database = openDatabase(dataDir);
    this.#executor = new Executor({
      ...{ retentionMs: 3_600_000, idempotencyRetentionMs: 3_600_000 },
      ...{ timers: systemTimers, random: systemRandom, replyLate: () => {} },
      ...options,
      ...{ database: this.database, clock },
    });
  }

  run<Name extends VerbName>(verb: Name, ...args: Parameters<Store[Name]>): Answer<Name> {
    const [reply] = this.#executor.execute([{ id: 1, verb, args }]);
    if (reply?.kind !== "done") throw new Error(`${verb}: ${reply?.message}`);
    return reply.value as Answer<Name>;
  }

  /** How many rows there are. */
  count(from: string): number {
    const row = this.database.db.prepare(`SELECT count(*) AS count FROM ${from}`).get();
    return row!["count"] as number;
  }

  close(): void {
    if (this.#isOpen) this.#executor.close();
    this.#isOpen = false;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
