import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { systemRandom } from "../../../platform/random.ts";
import { systemTimers } from "../../../platform/timers.ts";
import { openDatabase } from "../database/open-database.ts";
import { Executor } from "../thread/executor.ts";

/** No statement of the store about these tables reads a whole table, or sorts what it reads. */
export function expectIndexedPlans(tables: RegExp, moreThan: number): void {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-plans-"));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const database = openDatabase(dataDir);
  const prepare = vi.spyOn(database.db, "prepare");
  const executor = new Executor({
    ...{ database, clock: systemClock, timers: systemTimers, random: systemRandom },
    ...{ retentionMs: 1, idempotencyRetentionMs: 1, replyLate: () => {} },
  });
  const all = [...new Set(prepare.mock.calls.map(([sql]) => sql))];
  prepare.mockRestore();
  const hasPlan = (sql: string): boolean => /^\s*(?:SELECT|UPDATE|DELETE)|\bSELECT\b/.test(sql);
  const about = all.filter((sql) => hasPlan(sql) && tables.test(sql));
  expect(about.length).toBeGreaterThan(moreThan);
  for (const sql of about) {
    const plan = database.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    for (const { detail } of plan) {
      expect(detail, sql).not.toMatch(/TEMP B-TREE|SCAN (?!.*USING|CONSTANT|\(sub)/);
    }
  }
  executor.close();
}
