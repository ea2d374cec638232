import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { account, makeTarget, past, resultOf, schedule } from "../conformance/harness.ts";
import { StoreUnavailable } from "../store.ts";
import { testStores } from "./testing/test-stores.ts";

const makeStores = testStores();

/** A way to the database that can lose the answer to the next claim, after the database has made it. */
async function lossyWayTo(databaseUrl: string) {
  let losing = false;
  const direct = new URL(databaseUrl);
  const proxy = createServer((client) => {
    const server = connect(Number(direct.port), direct.hostname);
    let doomed = false;
    client.on("data", (bytes) => {
      doomed ||= losing && bytes.includes("claim-due");
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      if (doomed) {
        losing = false;
        client.destroy();
      } else client.write(bytes);
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  onTestFinished(() => void proxy.close());
  const url = new URL(databaseUrl);
  url.port = String((proxy.address() as AddressInfo).port);
  return { url: url.href, loseTheNextClaim: () => void (losing = true) };
}

test("a claim whose answer is lost is free again at the next renewal, and no other", async () => {
  const { database, open } = await makeStores();
  const way = await lossyWayTo(database.url);
  const store = await open({ databaseUrl: way.url });
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  const known = await schedule(store, "t", past);
  const [claim] = (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;
  expect(claim?.messageId).toBe(known.messageId);

  const lost = await schedule(store, "t", past);
  way.loseTheNextClaim();
  await expect(store.claimDue(holder, [{ targetKey, limit: 5 }])).rejects.toThrow(StoreUnavailable);
  expect((await store.listNodes())[0]?.inFlight).toBe(2);
  expect((await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims).toEqual([]);

  expect(await store.renew(holder)).toBe(true);
  const found: string[] = [];
  await expect
    .poll(async () => {
      const { claims } = await store.claimDue(holder, [{ targetKey, limit: 5 }]);
      return found.push(...claims.map(({ messageId }) => messageId));
    })
    .toBeGreaterThan(0);
  expect(found).toEqual([lost.messageId]);
  expect(
    await store.recordAttempts(holder, [resultOf(claim!, { kind: "delivered" })]),
  ).toMatchObject([{ kind: "recorded" }]);
});
