import pg from "pg";
import { expect, test } from "vitest";
import { preparedDatabases } from "../../src/storage/postgres/testing/prepared-databases.ts";
import { startCluster } from "../support/cluster.ts";
import { patiently } from "../support/shared-service.ts";
import { proxyTo } from "../hostile-timing/statement-proxy.ts";

const makeDatabase = preparedDatabases();

const counting = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND query LIKE '%counted.pending%'
    AND pid <> pg_backend_pid()`;

test("scrapes share one count and one connection, which callers and readiness do not need", async () => {
  const { url } = await makeDatabase();
  await using cluster = await startCluster(url, 1);
  const [{ api }] = cluster.nodes as [(typeof cluster.nodes)[number]];
  const aside = new pg.Client({ connectionString: url });
  const watching = new pg.Client({ connectionString: url });
  await Promise.all([aside.connect(), watching.connect()]);
  try {
    // A query that counts messages now waits for this lock, which shows how many queries count.
    await aside.query("BEGIN; LOCK TABLE messages IN ACCESS EXCLUSIVE MODE");
    const scrapes = Array.from({ length: 40 }, () => api("GET", "/metrics", { key: null }));
    const countsUnderWay = async (): Promise<number> =>
      (await watching.query<{ count: number }>(counting)).rows[0]!.count;
    await expect.poll(countsUnderWay, patiently).toBeGreaterThan(0);
    const [targets, ready] = await Promise.all([
      api("GET", "/v1/targets"),
      api("GET", "/readyz", { key: null }),
    ]);
    expect([targets.status, ready.status], ready.text).toEqual([200, 200]);
    expect(await countsUnderWay()).toBeLessThanOrEqual(1);
    // The rest of the metrics does not wait for the count.
    for (const { status, text } of await Promise.all(scrapes)) {
      expect(status).toBe(200);
      expect(text).toMatch(/^postdate_pending_messages nan$/im);
    }
  } finally {
    await Promise.all([aside.end(), watching.end()]);
  }
});

test("concurrent readiness checks share one ping", async () => {
  const { url } = await makeDatabase();
  let pings = 0;
  await using proxy = await proxyTo(url, {
    intervene({ name }) {
      if (name === "ping") pings++;
      return null;
    },
  });
  await using cluster = await startCluster(proxy.url, 1);
  const [{ api }] = cluster.nodes as [(typeof cluster.nodes)[number]];
  pings = 0;
  const asked = Array.from({ length: 200 }, () => api("GET", "/readyz", { key: null }));
  const answers = await Promise.all(asked);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // The node sends one ping in half a second, however long a busy machine takes for all the checks.
  expect(pings).toBeLessThan(50);
});
