import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../../../src/storage/postgres/testing/test-databases.ts";
import { expectKept } from "../../history/expect-kept.ts";
import type { History } from "../../history/history.ts";
import { isSuccess } from "../../history/message-log.ts";
import { inMs } from "../../support/api.ts";
import type { Api } from "../../support/api.ts";
import { startClusterOfOne } from "../../support/cluster-of-one.ts";
import { startCluster } from "../../support/cluster.ts";
import type { Cluster } from "../../support/cluster.ts";
import { startRollingRun } from "./rolling-run.ts";
import { checkOutVersionBefore } from "./version-before.ts";
import type { VersionBefore } from "./version-before.ts";

const makeDatabase = testDatabases();
let before: VersionBefore;

beforeAll(async () => {
  before = await checkOutVersionBefore();
}, 60_000);
afterAll(() => before[Symbol.asyncDispose]());

/** Nodes that stop in time give nobody a reason to send a message twice. */
function expectNothingTwice(history: History): void {
  expect(expectKept(history).duplicates).toBe(0);
  const taken = history.receipts.filter(({ status }) => isSuccess(status));
  expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(taken.length);
}

/** The store is not to be used by a program that does not know all of it. */
async function expectNoWayBack(cluster: Cluster): Promise<void> {
  await expect(cluster.addNode(undefined, {}, before.program)).rejects.toThrow(
    new RegExp(
      `written by a newer version of Postdate \\(schema \\d+, this version knows ${before.schema}\\)`,
    ),
  );
}

test("the embedded store: the version before stops under load, and this one goes on with its data", async () => {
  await using cluster = await startClusterOfOne([], {}, before.program);
  const run = startRollingRun(cluster);
  await run.goOn(4_000);
  await run.replace(0);
  await run.goOn(4_000);
  expectNothingTwice(await run.end());
  await run.current[0]!.server.stop();
  await expectNoWayBack(cluster);
});

describe("on PostgreSQL, beside nodes of the version before", () => {
  const startOld = async (size: number, args: readonly string[] = []): Promise<Cluster> =>
    startCluster((await makeDatabase()).url, size, {
      nodeLease: "10s",
      args,
      program: before.program,
    });

  test("two nodes are replaced one after the other under load: nothing is lost or sent twice", async () => {
    await using cluster = await startOld(2);
    const run = startRollingRun(cluster);
    await run.goOn(3_000);
    await run.replace(0);
    // Longer than a lease, so that each version has looked after the other.
    await run.goOn(12_000);
    await expectNoWayBack(cluster);
    await run.replace(1);
    await run.goOn(3_000);
    expectNothingTwice(await run.end());
  });

  test("each version takes over what a killed node of the other had", async () => {
    await using cluster = await startOld(3);
    const run = startRollingRun(cluster);
    await run.goOn(2_000);
    await run.replace(0);
    await run.goOn(2_000);
    await run.killAndReplace(0);
    // The killed node's lease ends while two nodes of three are of the version before.
    await run.goOn(12_000);
    await run.killAndReplace(1);
    await run.goOn(12_000);
    await run.replace(2);
    expectKept(await run.end());
  });

  test("the version before delivers, moves and shows what this one accepts", async () => {
    await using cluster = await startOld(1);
    const old = cluster.nodes[0]!.api;
    const { api } = await cluster.addNode(["--role", "api"], {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    });
    const ok = async (by: Api, method: string, path: string, body?: object) => {
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const answer = await by(method, path, { body, headers: { traceparent } });
      expect(answer.status, answer.text).toBeLessThan(300);
      return answer.body;
    };
    // What no node of the version before knows: who is told of events, and when a target counts as failing.
    await ok(api, "POST", "/v1/event-endpoints", { kind: "stream", types: ["message.*"] });
    await ok(api, "PATCH", "/v1/targets/t", { failingAfter: { attempts: 3, ms: 1_000 } });
    const more = {
      targetId: "t",
      payload: "hello",
      labels: { of: "this" },
      headers: { "x-of": "this" },
    };
    const later = await ok(api, "POST", "/v1/messages", { ...more, deliveryTime: inMs(3_600_000) });
    const path = `/v1/messages/${later.messageId}`;
    expect(await ok(old, "GET", path)).toEqual(later);
    await ok(old, "POST", `${path}/reschedule`, { deliveryTime: inMs(0) });
    const [receipt] = await cluster.receiver.received(1);
    expect(receipt!.body.toString()).toBe("hello");
    expect(receipt!.headers).toMatchObject({ "x-of": "this" });
    const read = () => ok(api, "GET", path);
    await expect.poll(read).toMatchObject({ state: "DELIVERED" });
    await ok(old, "PATCH", "/v1/targets/t", { maxConcurrency: 3 });
    expect(await ok(api, "GET", "/v1/targets/t")).toMatchObject({
      maxConcurrency: 3,
      failingAfter: { attempts: 3, ms: 1_000 },
    });
  });
});
