import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "vitest";
import { systemRandom } from "../../platform/random.ts";
import { systemTimers } from "../../platform/timers.ts";
import type { ClockedStore } from "../conformance/month-suite.ts";
import { monthSuite } from "../conformance/month-suite.ts";
import { Executor } from "./thread/executor.ts";
import { openDatabase } from "./database/open-database.ts";
import type { VerbName } from "./thread/verbs.ts";

async function openAt(time: number): Promise<ClockedStore> {
  const dataDir = await mkdtemp(join(tmpdir(), "postdate-months-"));
  let now = time;
  const executor = new Executor({
    database: openDatabase(dataDir),
    clock: { now: () => now, monotonic: () => now },
    timers: systemTimers,
    random: systemRandom,
    retentionMs: 60_000,
    // Longer than any test takes on its clock.
    idempotencyRetentionMs: 10 * 365 * 86_400_000,
    auditRetentionMs: 10 * 365 * 86_400_000,
    replyLate: () => {},
  });
  const store = new Proxy({} as ClockedStore["store"], {
    get:
      (_, verb: VerbName) =>
      async (...args: unknown[]): Promise<unknown> => {
        const [reply] = executor.execute([{ id: 1, verb, args }]);
        if (reply?.kind !== "done") throw new Error(`${verb} failed: ${reply?.message}`);
        return reply.value;
      },
  });
  return {
    store,
    async setNow(to) {
      now = to;
    },
    async close() {
      executor.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

describe("sqlite: the end of a month", () => monthSuite(openAt));
