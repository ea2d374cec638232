import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { preparedDatabases } from "../../../src/storage/postgres/testing/prepared-databases.ts";
import { expectKept, isEnough } from "../../history/expect-kept.ts";
import type { Fault } from "../../history/faults.ts";
import type { History } from "../../history/history.ts";
import { inMs } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { blockableEnv, blockEventLoop } from "./block-event-loop.ts";
import { startCluster } from "../../support/cluster.ts";
import { linkTo } from "../support/cuttable-link.ts";
import { takeFinalLook, targetTerms } from "../../support/final-look.ts";
import { answerUnsteadily, busyRun, realBounds } from "../../support/real-run.ts";
import { seenReceipts } from "../../support/seen-receipts.ts";
import type { ServerProcess } from "../../support/server-process.ts";
import { addTarget, services } from "../../support/service.ts";
import { startWriters } from "../support/writers.ts";
import type { Writers } from "../support/writers.ts";

const makeDatabase = preparedDatabases();
const startService = services();
const leaseMs = 3_000;

test("a node that was too busy to keep its lease breaks no promise when it continues", async () => {
  await using cluster = await startCluster((await makeDatabase()).url, 2, {
    nodeLease: `${leaseMs}ms`,
    env: blockableEnv,
  });
  cluster.receiver.answerWith(answerUnsteadily(500));
  const [blocked, free] = cluster.nodes;
  let turn = 0;
  const writing = startWriters(12, () => impatient(cluster.nodes[turn++ % 2]!.api));
  const faults = await blockAgainAndAgain(blocked!.server, 5_000);
  expectKept({
    ...(await endOf(writing, free!.api)),
    receipts: seenReceipts(cluster.receiver.receipts),
    faults,
    bounds: { ...realBounds, leaseMs },
    expects: busyRun,
  });
});

test("a node does not send messages that it claimed just before it blocked and that others have sent since", async () => {
  const database = await makeDatabase();
  await using link = await linkTo(database.url);
  await using cluster = await startCluster(link.url, 1, {
    nodeLease: `${leaseMs}ms`,
    env: blockableEnv,
  });
  const { receiver, nodes } = cluster;
  const [blocked] = nodes;
  const other = await cluster.addNode([], { POSTDATE_DATABASE_URL: database.url });
  await blocked!.api("POST", "/v1/targets/t/pause");
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const body = { targetId: "t", deliveryTime: inMs(-1_000), payload: "once" };
      return (await blocked!.api("POST", "/v1/messages", { body })).body.messageId as string;
    }),
  );
  // This node makes the claims and must get the answer while it has no time to read it. All messages are
  // long due by then. A claim before they are due would find nothing, and no later event would make the
  // node try again.
  other.server.process.kill("SIGSTOP");
  link.becomeAt("claim-due", "unanswering");
  const resumed = blocked!.api("POST", "/v1/targets/t/resume").catch(() => undefined);
  await database.whenCounted("SELECT count(*)::int AS count FROM claims", ids.length);
  const { ended } = await blockEventLoop(blocked!.server, 2 * leaseMs);
  link.become("open");
  other.server.process.kill("SIGCONT");
  const wokeAt = ended.then(() => Date.now());
  const sent = await receiver.received(ids.length);
  expect(Math.max(...sent.map(({ startedAt }) => startedAt))).toBeLessThan(await wokeAt);
  await resumed;
  // The node works again and sends.
  await other.server.stop();
  const body = { targetId: "t", deliveryTime: inMs(0), payload: "afterwards" };
  const { body: last } = await blocked!.api("POST", "/v1/messages", { body });
  await receiver.received(1, ({ messageId }) => messageId === last.messageId);
  expect(receiver.receipts.map(({ messageId }) => messageId).toSorted()).toEqual(
    [...ids, String(last.messageId)].toSorted(),
  );
});

test("an embedded server that is too busy sends nothing twice", async () => {
  const service = await startService({ env: blockableEnv, args: ["--log-level", "warn"] });
  await addTarget(service, {
    retryPolicy: { maxAttempts: 50, backoff: { kind: "list", delaysMs: [50] } },
  });
  service.receiver.answerWith(answerUnsteadily(500));
  const writing = startWriters(12, () => impatient(service.api));
  const faults = await blockAgainAndAgain(service.server, 3_000);
  const { duplicates } = expectKept({
    ...(await endOf(writing, service.api)),
    receipts: seenReceipts(service.receiver.receipts),
    faults,
    bounds: { ...realBounds, leaseMs: null, takeoverMs: null },
    expects: { ...busyRun, takeovers: 0 },
  });
  expect(duplicates).toBe(0);
});

/** Gives up a call that is not answered in time, as callers do. */
function impatient(api: Api): Api {
  return (method, path, options) =>
    Promise.race([
      api(method, path, options),
      sleep(2_000).then(() => Promise.reject(new Error("not answered in time"))),
    ]);
}

async function blockAgainAndAgain(server: ServerProcess, forMs: number): Promise<Fault[]> {
  const faults: Fault[] = [];
  while (faults.length < 2) {
    await sleep(1_500);
    const { at, ended } = await blockEventLoop(server, forMs);
    await ended;
    faults.push({ kind: "pause", node: server.url, at, until: Date.now() });
  }
  await sleep(1_500);
  return faults;
}

async function endOf(
  writing: Writers,
  api: Api,
): Promise<Pick<History, "asked" | "final" | "targets">> {
  // A busy machine needs longer for that.
  while (!isEnough(writing.asked, busyRun)) await sleep(50);
  await writing.stop();
  const final = await takeFinalLook(api, writing.asked);
  return { asked: writing.asked, final, targets: await targetTerms(api) };
}
