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

/** A clock that stands still until the test moves it. */
function stillClock() {
  let time = 0;
  return { monotonic: () => time, advance: (ms: number) => void (time += ms) };
}

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
  const authenticator = createAuthenticator({
    ...store,
    clock: stillClock(),
    rememberMs: Infinity,
  });
  const first = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  expect(await first).toMatchObject({ keyId: "key_1" });
  expect(authenticator.authenticate("bearer  pd_one")).toMatchObject({ keyId: "key_1" });
  expect(store.lookUps()).toBe(1);
});

test("a look-up under way does not bring a revoked key back", async () => {
  const keys = new Map([[hashKey("pd_one"), keyOf("key_1")]]);
  const store = slowStore(keys);
  const authenticator = createAuthenticator({
    ...store,
    clock: stillClock(),
    rememberMs: Infinity,
  });
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
  const authenticator = createAuthenticator({
    findKey: store.findKey,
    clock: stillClock(),
    rememberMs: Infinity,
    capacity: 2,
  });
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
  const authenticator = createAuthenticator({
    ...store,
    clock: stillClock(),
    rememberMs: Infinity,
  });
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

test("where others may revoke, a key is looked up again after a while", async () => {
  const keys = new Map([[hashKey("pd_one"), keyOf("key_1")]]);
  const store = slowStore(keys);
  const clock = stillClock();
  const authenticator = createAuthenticator({ ...store, clock, rememberMs: 500 });
  const first = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  await first;
  clock.advance(500);
  expect(authenticator.authenticate("Bearer pd_one")).toMatchObject({ keyId: "key_1" });
  clock.advance(1);
  keys.clear();
  const again = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  expect(await again).toBe("invalid");
});

test("a look-up counts from when it began, so a slow one is made again", async () => {
  const keys = new Map([[hashKey("pd_one"), keyOf("key_1")]]);
  const store = slowStore(keys);
  const clock = stillClock();
  const authenticator = createAuthenticator({ ...store, clock, rememberMs: 500 });
  const early = authenticator.authenticate("Bearer pd_one");
  // Revoked elsewhere, and answered, while the first look-up is still on its way.
  keys.clear();
  clock.advance(600);
  const late = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  await Promise.resolve();
  await Promise.resolve();
  store.waiting.shift()!();
  expect([await early, await late]).toEqual(["invalid", "invalid"]);
  expect(store.lookUps()).toBe(2);
});
