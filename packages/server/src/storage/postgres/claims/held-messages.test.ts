import { expect, test } from "vitest";
import { account, makeTarget, past, resultOf, schedule } from "../../conformance/harness.ts";
import { testStores } from "../testing/test-stores.ts";

const makeStores = testStores();

test("a repeated result does not free a newer claim", async () => {
  const { open } = await makeStores();
  const store = await open();
  await store.ensureAccount(account, "One");
  const { targetKey } = await makeTarget(store, "t");
  const holder = await store.join("one", "all");
  await schedule(store, "t", past);
  const claim = async () => (await store.claimDue(holder, [{ targetKey, limit: 5 }])).claims;

  // As if the answer to the first recording is lost, and the node tries again after the next claim.
  const [first] = await claim();
  const failed = resultOf(first!, { kind: "retry", delayMs: 0 });
  await store.recordAttempts(holder, [failed]);
  const [second] = await claim();
  expect(await store.recordAttempts(holder, [failed])).toMatchObject([{ kind: "stale" }]);

  await store.renew(holder);
  expect(await claim()).toEqual([]);
  expect(
    await store.recordAttempts(holder, [resultOf(second!, { kind: "delivered" })]),
  ).toMatchObject([{ kind: "recorded" }]);
});
