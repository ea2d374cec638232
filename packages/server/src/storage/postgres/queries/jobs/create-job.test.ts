import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { account } from "../../../conformance/harness.ts";
import { start } from "../../../conformance/jobs/job-harness.ts";
import { testStores } from "../../testing/test-stores.ts";

const makeStores = testStores();

test("of an account's ended jobs the newest thousand are kept, and all that have not ended", async () => {
  const { database, open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const client = new pg.Client(database.url);
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(
    `INSERT INTO jobs (account_id, job_id, occupies, running, emptied, expiration_time, job)
     SELECT $1, 'job_!' || lpad(i::text, 4, '0'), CASE WHEN i = 0 THEN 'x' END, false, i > 0,
       CASE WHEN i > 0 THEN 9000000000000000 END, '{"creationTime":0}'
     FROM generate_series(0, 1050) AS i`,
    [account],
  );
  const { jobId } = await start(store, { filter: { targetId: null, labels: ["a:1"] } });
  const { rows } = await client.query("SELECT job_id FROM jobs ORDER BY job_id");
  const ids = rows.map((row) => row["job_id"]);
  expect(ids).toHaveLength(1_001);
  expect([ids[0], ids[1], ids.at(-1)]).toEqual(["job_!0000", "job_!0052", jobId]);
});
