import { expect, test } from "vitest";
import { systemClock } from "../../src/platform/clock.ts";
import { testStores } from "../../src/storage/postgres/testing/test-stores.ts";
import { issued, keyIdOf, noteOf, openTokens } from "./support/test-tokens.ts";

const openStores = testStores();

/** Two nodes on one database, each with a store of its own; `pass` lets time go by on both. */
async function openNodes() {
  const { open } = await openStores();
  const stores = [await open(), await open()];
  const { another } = openTokens();
  let passedMs = 0;
  const monotonic = (): number => systemClock.monotonic() + passedMs;
  const [one, other] = stores.map((store) => {
    const clock = { now: () => store.clock.now(), monotonic };
    return another({ store, clock, rememberMs: store.sharing!.credentialMs });
  });
  return {
    one: one!,
    other: other!,
    credentialMs: stores[0]!.sharing!.credentialMs,
    pass: (ms: number) => void (passedMs += ms),
  };
}

test("nodes that need the first key at the same moment share one, and accept each other's tokens", async () => {
  const { one, other } = await openNodes();
  const tokens = await Promise.all([one, other, one, other].map(issued));
  expect(new Set(tokens.map(keyIdOf)).size).toBe(1);
  expect(await one.listSigningKeys()).toHaveLength(1);
  for (const node of [one, other]) {
    for (const token of tokens) expect(await node.verify(token)).toBeDefined();
  }
});

test("a key that one node removed opens nothing on the other, once its look-up is too old", async () => {
  const { one, other, credentialMs, pass } = await openNodes();
  const token = await issued(other);
  expect(await other.verify(token)).toBeDefined();
  await one.rotateSigningKey(true, noteOf);
  pass(credentialMs);
  expect(await other.verify(token)).toBeUndefined();
  expect(await other.verify(await issued(one))).toBeDefined();
});
