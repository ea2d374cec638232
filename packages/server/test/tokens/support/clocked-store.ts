import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Clock } from "../../../src/platform/clock.ts";
import { systemRandom } from "../../../src/platform/random.ts";
import { systemTimers } from "../../../src/platform/timers.ts";
import { Executor } from "../../../src/storage/sqlite/thread/executor.ts";
import { openDatabase } from "../../../src/storage/sqlite/database/open-database.ts";
import type { VerbName } from "../../../src/storage/sqlite/thread/verbs.ts";
import type { Store } from "../../../src/storage/store.ts";

export interface ClockedStore {
  readonly store: Pick<Store, VerbName>;
  /** Stands still until it is moved. */
  readonly clock: Clock;
  pass(ms: number): void;
  /** How often a verb was called. */
  calls(verb: VerbName): number;
}

/** A real embedded store whose time is moved by hand; gone with the test. */
export function openClockedStore(startTime: number): ClockedStore {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-clocked-"));
  let now = startTime;
  const clock = { now: () => now, monotonic: () => now - startTime };
  const executor = new Executor({
    database: openDatabase(dataDir),
    clock,
    timers: systemTimers,
    random: systemRandom,
    retentionMs: 86_400_000,
    idempotencyRetentionMs: 86_400_000,
    replyLate: () => {},
  });
  onTestFinished(() => {
    executor.close();
    rmSync(dataDir, { recursive: true });
  });
  const counts = new Map<string, number>();
  const store = new Proxy({} as ClockedStore["store"], {
    get:
      (_, verb: VerbName) =>
      async (...args: unknown[]): Promise<unknown> => {
        counts.set(verb, (counts.get(verb) ?? 0) + 1);
        const [reply] = executor.execute([{ id: 1, verb, args }]);
        if (reply?.kind !== "done") throw new Error(`${verb} failed: ${reply?.message}`);
        return reply.value;
      },
  });
  return { store, clock, pass: (ms) => void (now += ms), calls: (verb) => counts.get(verb) ?? 0 };
}
