import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { startPostgres } from "../../../src/storage/postgres/testing/start-postgres.ts";
import { defaultAccountId } from "../../../src/domain/access.ts";
import { expectKept } from "../../history/expect-kept.ts";
import type { Fault } from "../../history/faults.ts";
import type { Asked } from "../../history/history.ts";
import { clusterHistory } from "../support/cluster-history.ts";
import { apiOf } from "../../support/api.ts";
import type { Api, ApiAnswer } from "../../support/api.ts";
import { startCluster } from "../../support/cluster.ts";
import { readMessage } from "../../support/logged-calls.ts";
import { answerUnsteadily } from "../../support/real-run.ts";
import { startReceiver } from "../../support/receiver.ts";
import { startServerProcess } from "../../support/server-process.ts";
import { mountSmallDisk } from "./small-disk.ts";
import type { SmallDisk } from "./small-disk.ts";
import { startWriters } from "../support/writers.ts";
import { unprivilegedAccount } from "../failover/debian-programs.ts";
import { freePorts } from "../failover/free-ports.ts";

test("with a full disk the server answers 503 until there is room, loses nothing and continues", async () => {
  await using disk = await mountSmallDisk("128m");
  await using receiver = await startReceiver();
  receiver.answerWith(answerUnsteadily(60));
  const [port] = await freePorts(1);
  const start = () =>
    startServerProcess({
      dataDir: disk.path,
      within: disk.within,
      args: ["--port", String(port), "--log-level", "warn"],
    });
  let server = await start();
  await using _end = { [Symbol.asyncDispose]: () => server.kill() };
  const api = apiOf(server.url);
  const target = {
    targetId: "t",
    url: receiver.url,
    retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [50] } },
  };
  expect((await api("POST", "/v1/targets", { body: target })).status).toBe(200);
  const writing = startWriters(12, () => api);
  const faults: Fault[] = [];
  const long: Asked[] = [];
  let takenWhileFull = 0;
  for (let time = 0; time < 3; time++) {
    await sleep(1_000);
    const at = Date.now();
    disk.fill();
    await expectReadsAlone(api, long);
    await sleep(1_000);
    await expectReadsAlone(api, long);
    takenWhileFull += receiver.receipts.filter(({ startedAt }) => startedAt > at + 100).length;
    if (time < 2) disk.makeRoom();
    faults.push({ kind: "store", node: "server", at, until: Date.now(), commit: "before" });
  }
  // Outcomes that the server could not write are lost with it.
  let at = Date.now();
  await server.kill();
  const early = await start().catch(String);
  if (typeof early === "string") expect(early).toContain("disk is full");
  else {
    // The server needed no more room than its files had.
    faults.push({ kind: "crash", node: "server", at, backAt: Date.now() });
    at = Date.now();
    await early.kill();
  }
  disk.makeRoom();
  server = await start();
  faults.push({ kind: "crash", node: "server", at, backAt: Date.now() });
  await sleep(1_000);
  await writing.stop();
  const asked = [...writing.asked, ...long];
  const bounds = { leaseMs: null, takeoverMs: null };
  expectKept(await clusterHistory({ api, receiver, asked, faults, bounds }));
  expect(takenWhileFull).toBeGreaterThan(0);
});

test("the same with the disk that PostgreSQL keeps its tables on", async () => {
  await using ending = new AsyncDisposableStack();
  const postgres = await startPostgres({ fsync: "off" });
  let disk: SmallDisk | undefined;
  ending.defer(() => disk?.[Symbol.asyncDispose]());
  ending.defer(() => postgres.stop());
  disk = await mountSmallDisk("128m", unprivilegedAccount());
  const databaseUrl = await makeDatabaseOn(disk, postgres.url);
  const leaseMs = 3_000;
  await using cluster = await startCluster(databaseUrl, 2, { nodeLease: `${leaseMs}ms` });
  cluster.receiver.answerWith(answerUnsteadily(60));
  let turn = 0;
  const writing = startWriters(12, () => cluster.nodes[turn++ % 2]!.api);
  const { api } = cluster.nodes[0]!;
  const faults: Fault[] = [];
  const long: Asked[] = [];
  for (const forMs of [500, leaseMs]) {
    await sleep(1_500);
    const at = Date.now();
    disk.fill();
    await expectReadsAlone(api, long);
    await sleep(forMs);
    await expectReadsAlone(api, long);
    disk.makeRoom();
    faults.push({ kind: "store", node: null, at, until: Date.now(), commit: "before" });
  }
  await sleep(1_000);
  await writing.stop();
  const asked = [...writing.asked, ...long];
  const history = await clusterHistory({
    ...{ api, receiver: cluster.receiver, asked, faults, bounds: { leaseMs } },
    // The node that holds the messages in flight records them as soon as it can.
    expects: { takeovers: 0 },
  });
  expectKept(history);
});

/** Files have room for a while. So this sends long messages until one is refused, and logs them. */
async function expectReadsAlone(api: Api, log: Asked[]): Promise<void> {
  for (;;) {
    const asked = await scheduleLong(api, log);
    if (asked.status === 200) continue;
    expect(asked.status).toBe(503);
    expect(asked.body.errors).toMatchObject([{ code: "E-DI-9002" }]);
    expect(asked.headers.get("retry-after")).toMatch(/^\d+$/);
    break;
  }
  expect((await api("GET", "/v1/targets/t")).status).toBe(200);
}

async function scheduleLong(api: Api, log: Asked[]): Promise<ApiAnswer> {
  const [askedAt, payload] = [Date.now(), randomBytes(30_000).toString("hex")];
  const body = { targetId: "t", deliveryTime: new Date(askedAt).toISOString(), payload };
  const answer = await api("POST", "/v1/messages", { body });
  log.push({
    verb: "schedule",
    accountId: defaultAccountId,
    writer: "long",
    askedAt,
    answeredAt: Date.now(),
    key: null,
    targetId: "t",
    dueAt: askedAt,
    payload,
    answer:
      answer.status === 200
        ? { kind: "ok", message: readMessage(answer.body) }
        : { kind: "unknown" },
  });
  return answer;
}

async function makeDatabaseOn({ outerPath }: SmallDisk, serverUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE TABLESPACE small LOCATION '${outerPath}'`);
  await client.query("CREATE DATABASE small TABLESPACE small");
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = "small";
  return url.href;
}
