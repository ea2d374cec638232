import { expect, test } from "vitest";
import type { AccessKey } from "../domain/access.ts";
import { hashKey } from "../operations/create-key.ts";
import { createAuthenticator } from "./authenticate.ts";

const keyOf = (keyId: string): AccessKey => ({
  keyId,
  accountId: "acc_default",
  name: keyId,
  scopes: ["scheduler.all.read"],
  creationTime: 0,
});

/** A store whose answers come when the test says so. */
function slowStore(keys: Map<string, AccessKey>) {
  const waiting: (() => void)[] = [];
  let lookUps = 0;
  return {
    waiting,
    lookUps: () => lookUps,
    findKey: (hash: string) => {
      lookUps++;
      const found = keys.get(hash);
      return new Promise<AccessKey | undefined>((resolve) => waiting.push(() => resolve(found)));
    },
  };
}

test("a key is looked up once and known from then on", async () => {
  const store = slowStore(new Map([[hashKey("pd_one"), keyOf("key_1")]]));
  const authenticator = createAuthenticator(store);
  const first = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  expect(await first).toMatchObject({ keyId: "key_1" });
  expect(authenticator.authenticate("bearer  pd_one")).toMatchObject({ keyId: "key_1" });
  expect(store.lookUps()).toBe(1);
});

test("a look-up under way does not bring a revoked key back", async () => {
  const keys = new Map([[hashKey("pd_one"), keyOf("key_1")]]);
  const store = slowStore(keys);
  const authenticator = createAuthenticator(store);
  const early = authenticator.authenticate("Bearer pd_one");
  keys.clear();
  authenticator.forget("key_1");
  store.waiting.shift()!();
  await Promise.resolve();
  await Promise.resolve();
  store.waiting.shift()!();
  expect(await early).toBe("invalid");
});

test("what is remembered is bounded", async () => {
  const names = Array.from({ length: 5 }, (_, index) => `pd_${index}`);
  const store = slowStore(new Map(names.map((name) => [hashKey(name), keyOf(name)])));
  const authenticator = createAuthenticator({ findKey: store.findKey, capacity: 2 });
  const ask = async (name: string) => {
    const answer = authenticator.authenticate(`Bearer ${name}`);
    store.waiting.shift()?.();
    return answer;
  };
  for (const name of names) await ask(name);
  expect(store.lookUps()).toBe(5);
  await ask("pd_4");
  expect(store.lookUps()).toBe(5);
  await ask("pd_0");
  expect(store.lookUps()).toBe(6);
});

test("unknown keys are looked up every time, malformed ones never", async () => {
  const store = slowStore(new Map());
  const authenticator = createAuthenticator(store);
  for (const _ of [1, 2]) {
    const answer = authenticator.authenticate("Bearer pd_unknown");
    store.waiting.shift()!();
    expect(await answer).toBe("invalid");
  }
  expect(authenticator.authenticate(`Bearer pd_${"x".repeat(300)}`)).toBe("invalid");
  expect(authenticator.authenticate("Bearer pd_a pd_b")).toBe("invalid");
  expect(authenticator.authenticate(undefined)).toBe("missing");
  expect(store.lookUps()).toBe(2);
});
