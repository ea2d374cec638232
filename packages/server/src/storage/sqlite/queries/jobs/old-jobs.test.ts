import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { someJob } from "../../../../domain/testing/some-job.ts";
import { systemClock } from "../../../../platform/clock.ts";
import { systemRandom } from "../../../../platform/random.ts";
import { systemTimers } from "../../../../platform/timers.ts";
import { account, hour, note } from "../../../conformance/harness.ts";
import { openDatabase } from "../../database/open-database.ts";
import { Executor } from "../../thread/executor.ts";
import type { VerbName } from "../../thread/verbs.ts";

test("of an account's ended jobs the newest thousand are kept, and all that have not ended", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "postdate-old-jobs-"));
  const database = openDatabase(dataDir);
  const executor = new Executor({
    ...{ database, clock: systemClock, timers: systemTimers, random: systemRandom },
    ...{ retentionMs: hour, idempotencyRetentionMs: hour, replyLate: () => {} },
  });
  onTestFinished(() => {
    executor.close();
    rmSync(dataDir, { recursive: true });
  });
  const run = (verb: VerbName, ...args: unknown[]) => executor.execute([{ id: 1, verb, args }]);
  run("ensureAccount", account, "One");
  database.db.exec(`
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1050)
    INSERT INTO jobs (account_key, job_id, occupies, running, emptied, expiration_time, job)
    SELECT account_key, printf('job_0%04d', i), iif(i = 0, 'x', NULL), 0, i > 0,
      iif(i = 0, NULL, 9e15), '{"creationTime":0}'
    FROM n JOIN accounts`);
  const filter = { targetId: null, labels: ["a:1"] };
  run("createJob", someJob({ jobId: "job_1", accountId: account, filter }), null, note());
  const kept = database.db.prepare("SELECT job_id FROM jobs ORDER BY job_id").all();
  const ids = kept.map((row) => row["job_id"]);
  expect(ids).toHaveLength(1_001);
  expect([ids[0], ids[1], ids.at(-1)]).toEqual(["job_00000", "job_00052", "job_1"]);
});
