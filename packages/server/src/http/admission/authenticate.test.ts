import { describe, expect, test, vi } from "vitest";
import type { Credential } from "../../domain/access.ts";
import { createAuthenticator } from "./authenticate.ts";
import type { Authenticator, AuthenticatorOptions } from "./authenticate.ts";

const credentialOf = (id: string, change: Partial<Credential> = {}): Credential => ({
  account: {
    accountId: "acc_default",
    name: "default",
    state: "ACTIVE",
    monthlyMessageLimit: null,
    requestLimit: null,
    creationTime: 0,
    suspensionTime: null,
  },
  scopes: ["scheduler.all.read"],
  actor: { kind: "key", id },
  expirationTime: null,
  ...change,
});
const known = (id: string) => ({ actor: { id } });

/** A clock that stands still until the test moves it. Its wall time starts at 1,000,000. */
function stillClock() {
  let time = 0;
  return {
    monotonic: () => time,
    now: () => 1_000_000 + time,
    advance: (ms: number) => void (time += ms),
  };
}

/** A store that answers when the test says so. */
function slowStore(credentials: Map<string, Credential>) {
  const waiting: (() => void)[] = [];
  let lookUps = 0;
  return {
    waiting,
    lookUps: () => lookUps,
    findCredential: (bearer: string) => {
      lookUps++;
      const found = credentials.get(bearer);
      return new Promise<Credential | undefined>((resolve) => waiting.push(() => resolve(found)));
    },
  };
}

function authenticatorOn(
  { findCredential }: Pick<AuthenticatorOptions, "findCredential">,
  options: Partial<AuthenticatorOptions> = {},
) {
  return createAuthenticator({
    findCredential,
    operatorKey: null,
    isMarkedKey: (key) => key.endsWith("_marked"),
    clock: stillClock(),
    rememberMs: Infinity,
    ...options,
  });
}

test("a key is looked up once and remembered", async () => {
  const store = slowStore(new Map([["pd_one", credentialOf("key_1")]]));
  const authenticator = authenticatorOn(store);
  const first = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  expect(await first).toMatchObject(known("key_1"));
  expect(authenticator.authenticate("bearer  pd_one")).toMatchObject(known("key_1"));
  expect(store.lookUps()).toBe(1);
});

test("a look-up under way does not bring back a revoked key", async () => {
  const credentials = new Map([["pd_one", credentialOf("key_1")]]);
  const store = slowStore(credentials);
  const authenticator = authenticatorOn(store);
  const early = authenticator.authenticate("Bearer pd_one");
  credentials.clear();
  authenticator.forget("acc_default");
  store.waiting.shift()!();
  while (store.waiting.length === 0) await Promise.resolve();
  store.waiting.shift()!();
  expect(await early).toBe("invalid");
});

test("changes in other accounts do not delay a look-up, however many there are", async () => {
  const store = slowStore(new Map([["pd_one", credentialOf("key_1")]]));
  const authenticator = authenticatorOn(store);
  const answer = authenticator.authenticate("Bearer pd_one");
  for (let other = 0; other < 10; other++) authenticator.forget(`acc_${other}`);
  store.waiting.shift()!();
  expect(await answer).toMatchObject(known("key_1"));
  expect(store.lookUps()).toBe(1);
  expect(authenticator.authenticate("Bearer pd_one")).toMatchObject(known("key_1"));
});

test("a change in all accounts counts for each account", async () => {
  const credentials = new Map([["pd_one", credentialOf("key_1")]]);
  const store = slowStore(credentials);
  const authenticator = authenticatorOn(store);
  const early = authenticator.authenticate("Bearer pd_one");
  credentials.clear();
  authenticator.forget(null);
  store.waiting.shift()!();
  while (store.waiting.length === 0) await Promise.resolve();
  store.waiting.shift()!();
  expect(await early).toBe("invalid");
});

test("the number of remembered credentials is bounded", async () => {
  const names = Array.from({ length: 5 }, (_, index) => `pd_${index}`);
  const store = slowStore(new Map(names.map((name) => [name, credentialOf(name)])));
  const authenticator = authenticatorOn(store, { capacity: 2 });
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
  const authenticator = authenticatorOn(store);
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

test("if other nodes may revoke keys, a key is looked up again after a while", async () => {
  const credentials = new Map([["pd_one", credentialOf("key_1")]]);
  const store = slowStore(credentials);
  const clock = stillClock();
  const authenticator = authenticatorOn(store, { clock, rememberMs: 500 });
  const first = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  await first;
  clock.advance(500);
  expect(authenticator.authenticate("Bearer pd_one")).toMatchObject(known("key_1"));
  clock.advance(1);
  credentials.clear();
  const again = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  expect(await again).toBe("invalid");
});

test("a look-up counts from its start, so a slow one is repeated", async () => {
  const credentials = new Map([["pd_one", credentialOf("key_1")]]);
  const store = slowStore(credentials);
  const clock = stillClock();
  const authenticator = authenticatorOn(store, { clock, rememberMs: 500 });
  const early = authenticator.authenticate("Bearer pd_one");
  // Another node revokes the key, and answers, while the first look-up is under way.
  credentials.clear();
  clock.advance(600);
  const late = authenticator.authenticate("Bearer pd_one");
  store.waiting.shift()!();
  while (store.waiting.length === 0) await Promise.resolve();
  store.waiting.shift()!();
  expect([await early, await late]).toEqual(["invalid", "invalid"]);
  expect(store.lookUps()).toBe(2);
});

const token = "head.body.mark";

test("an access token is accepted until it expires, and no longer", async () => {
  const credential = credentialOf("cli_1", { expirationTime: 1_000_000 + 250 });
  const store = slowStore(new Map([[token, credential]]));
  const clock = stillClock();
  const authenticator = authenticatorOn(store, { clock });
  const first = authenticator.authenticate(`Bearer ${token}`);
  store.waiting.shift()!();
  expect(await first).toMatchObject(known("cli_1"));
  clock.advance(249);
  expect(authenticator.authenticate(`Bearer ${token}`)).toMatchObject(known("cli_1"));
  clock.advance(1);
  void authenticator.authenticate(`Bearer ${token}`);
  expect(store.lookUps()).toBe(2);
});

test("a long-lived token is verified again after a minute, because its issuer may have withdrawn the key", async () => {
  const credential = credentialOf("somebody", { expirationTime: 1_000_000 + 3_600_000 });
  const store = slowStore(new Map([[token, credential]]));
  const clock = stillClock();
  const authenticator = authenticatorOn(store, { clock });
  const first = authenticator.authenticate(`Bearer ${token}`);
  store.waiting.shift()!();
  await first;
  clock.advance(59_999);
  expect(authenticator.authenticate(`Bearer ${token}`)).toMatchObject(known("somebody"));
  clock.advance(1);
  expect(authenticator.authenticate(`Bearer ${token}`)).toBeInstanceOf(Promise);
});

test.each([
  "a.b",
  "a.b.c.d",
  "a..c",
  "a.b.",
  "a.b.c=",
  `${"x".repeat(8_200)}.b.c`,
  "Basic",
  "token",
])("%s is not an access token, and is refused without a look-up", (bearer) => {
  const store = slowStore(new Map());
  expect(authenticatorOn(store).authenticate(`Bearer ${bearer}`)).toBe("invalid");
  expect(store.lookUps()).toBe(0);
});

test("a change in one account leaves the credentials of others remembered", async () => {
  const other = credentialOf("key_2");
  const store = slowStore(
    new Map([
      ["pd_one", credentialOf("key_1")],
      ["pd_two", { ...other, account: { ...other.account, accountId: "acc_two" } }],
    ]),
  );
  const authenticator = authenticatorOn(store);
  for (const key of ["pd_one", "pd_two"]) {
    const found = authenticator.authenticate(`Bearer ${key}`);
    store.waiting.shift()!();
    await found;
  }
  authenticator.forget("acc_two");
  expect(authenticator.authenticate("Bearer pd_one")).toMatchObject(known("key_1"));
  expect(authenticator.authenticate("Bearer pd_two")).toBeInstanceOf(Promise);
});

test("only exactly the configured operator key is accepted, and none if none is configured", () => {
  const operatorKey = "pdo_the_operators_own_key";
  const store = slowStore(new Map());
  const managed = authenticatorOn(store, { operatorKey });
  expect(managed.authenticate(`Bearer ${operatorKey}`)).toBe("operator");
  for (const wrong of [`${operatorKey}x`, operatorKey.slice(0, -1), "pdo_", `${operatorKey} x`]) {
    expect(managed.authenticate(`Bearer ${wrong}`)).toBe("invalid");
  }
  expect(authenticatorOn(store).authenticate(`Bearer ${operatorKey}`)).toBe("invalid");
  expect(store.lookUps()).toBe(0);
});

test("a store that is slow three times counts as unavailable", async () => {
  const clock = stillClock();
  let lookUps = 0;
  const findCredential = async () => {
    lookUps++;
    clock.advance(600);
    return credentialOf("key_1");
  };
  const authenticator = authenticatorOn({ findCredential }, { clock, rememberMs: 500 });
  await expect(authenticator.authenticate("Bearer pd_one")).rejects.toThrow("quickly enough");
  expect(lookUps).toBe(3);
});

describe("while strangers send many made-up keys", () => {
  const flood = (authenticator: Authenticator, count: number) =>
    Array.from({ length: count }, (_, index) =>
      Promise.resolve(authenticator.authenticate(`Bearer pd_made_up_${index}`)),
    );

  test("at most two look-ups are under way for all of them, in the order of arrival", async () => {
    const store = slowStore(new Map([["pd_old", credentialOf("key_old")]]));
    const authenticator = authenticatorOn(store);
    const answers = flood(authenticator, 50);
    // This process has not seen this unmarked key from before there were marks. It waits in line.
    const old = authenticator.authenticate("Bearer pd_old");
    for (let asked = 0; asked < 51; asked++) {
      await vi.waitUntil(() => store.waiting.length > 0, { interval: 1, timeout: 60_000 });
      expect(store.waiting.length).toBeLessThanOrEqual(2);
      store.waiting.shift()!();
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["invalid"]));
    expect(await old).toMatchObject(known("key_old"));
  });

  test("a marked key does not wait for them, and neither does a key that was valid before", async () => {
    const keys = ["pd_old", "pd_new_marked"];
    const store = slowStore(new Map(keys.map((key) => [key, credentialOf(key)])));
    const clock = stillClock();
    const authenticator = authenticatorOn(store, { clock, rememberMs: 500 });
    const before = authenticator.authenticate("Bearer pd_old");
    store.waiting.shift()!();
    await before;
    clock.advance(501);
    const answers = flood(authenticator, 50);
    expect(store.waiting).toHaveLength(2);
    const good = keys.map((key) => Promise.resolve(authenticator.authenticate(`Bearer ${key}`)));
    expect(store.waiting).toHaveLength(4);
    for (const answer of store.waiting.splice(2)) answer();
    expect(await Promise.all(good)).toMatchObject(keys.map(known));
    while (store.waiting.length > 0) {
      store.waiting.shift()!();
      await new Promise(setImmediate);
    }
    await Promise.all(answers);
  });

  test("addresses take turns with their look-ups", async () => {
    const store = slowStore(new Map([["pd_old", credentialOf("key_old")]]));
    const authenticator = authenticatorOn(store);
    const answers = flood(authenticator, 50);
    const old = authenticator.authenticate("Bearer pd_old", "elsewhere");
    // Two look-ups are under way. One more of the first address follows, then the other address has its turn.
    for (let asked = 0; asked < 4; asked++) {
      await vi.waitUntil(() => store.waiting.length > 0, { interval: 1, timeout: 60_000 });
      store.waiting.shift()!();
    }
    expect(await old).toMatchObject(known("key_old"));
    expect(store.lookUps()).toBeLessThan(10);
    while (store.waiting.length > 0) {
      store.waiting.shift()!();
      await new Promise(setImmediate);
    }
    await Promise.all(answers);
  });

  test("a bounded number of tokens is verified at once, and fewer of one address", async () => {
    const good = "a.b.c";
    const store = slowStore(new Map([[good, credentialOf("cli_1")]]));
    const authenticator = authenticatorOn(store);
    const tokensFrom = (from: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        Promise.resolve(authenticator.authenticate(`Bearer x.${from}.${index}`, from)),
      );
    const answers = tokensFrom("one", 50);
    expect(store.waiting).toHaveLength(16);
    const fresh = authenticator.authenticate(`Bearer ${good}`, "elsewhere");
    expect(store.waiting).toHaveLength(17);
    store.waiting.pop()!();
    expect(await fresh).toMatchObject(known("cli_1"));
    for (const from of ["two", "three", "four", "five"]) answers.push(...tokensFrom(from, 50));
    expect(store.waiting).toHaveLength(64);
    while (store.waiting.length > 0) {
      for (const answer of store.waiting.splice(0)) answer();
      await new Promise(setImmediate);
      expect(store.waiting.length).toBeLessThanOrEqual(64);
    }
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["invalid"]));
  });

  test("a look-up counts for the account that had the credential before, if there is one", async () => {
    const store = slowStore(new Map([["pd_old", credentialOf("key_1")]]));
    const authenticator = authenticatorOn(store);
    expect(authenticator.claimant("Bearer pd_old")).toBeUndefined();
    expect(authenticator.claimant("Bearer pd_new_marked")).toBeUndefined();
    expect(authenticator.claimant(undefined)).toBeUndefined();
    const given = ["Bearer pd_new_marked", "Bearer pd_old", "pd_new_marked", undefined];
    expect(given.map((one) => authenticator.isMarked(one))).toEqual([true, false, false, false]);
    const answer = authenticator.authenticate("Bearer pd_old");
    store.waiting.shift()!();
    await answer;
    authenticator.forget(null);
    expect(authenticator.recall("Bearer pd_old")).toBeUndefined();
    expect(authenticator.claimant("Bearer pd_old")).toBe("acc_default");
  });
});

test("a revoked key with a mark is looked up only once in a while", async () => {
  const store = slowStore(new Map());
  const clock = stillClock();
  const authenticator = authenticatorOn(store, { clock });
  const first = authenticator.authenticate("Bearer pd_gone_marked");
  store.waiting.shift()!();
  expect(await first).toBe("invalid");
  for (const _ of [1, 2, 3]) {
    expect(authenticator.authenticate("Bearer pd_gone_marked")).toBe("invalid");
  }
  expect(store.lookUps()).toBe(1);
  clock.advance(1_001);
  const again = authenticator.authenticate("Bearer pd_gone_marked");
  store.waiting.shift()!();
  expect([await again, store.lookUps()]).toEqual(["invalid", 2]);
});

test("a bounded number of revoked keys is remembered, the latest ones", async () => {
  let lookUps = 0;
  const findCredential = async () => void lookUps++;
  const authenticator = authenticatorOn({ findCredential }, { capacity: 2 });
  const lookAt = (id: number) => authenticator.authenticate(`Bearer pd_${id}_marked`);
  for (const id of [1, 2, 3]) expect(await lookAt(id)).toBe("invalid");
  expect([lookAt(2), lookAt(3), lookUps]).toEqual(["invalid", "invalid", 3]);
  expect([await lookAt(1), lookUps]).toEqual(["invalid", 4]);
});

test("if an account uses many keys, its own are forgotten, not those of others", async () => {
  const ofAccount = (accountId: string, id: string) => {
    const credential = credentialOf(id);
    return { ...credential, account: { ...credential.account, accountId } };
  };
  const capacity = 16;
  const many = Array.from({ length: 50 }, (_, index) => `pd_many_${index}`);
  const others = ["pd_early", "pd_late"];
  const credentials = new Map([
    ...others.map((key) => [key, ofAccount(`acc_of_${key}`, key)] as const),
    ...many.map((key) => [key, ofAccount("acc_many", key)] as const),
  ]);
  const findCredential = async (bearer: string) => credentials.get(bearer);
  const authenticator = authenticatorOn({ findCredential }, { capacity });
  const use = (key: string) => authenticator.authenticate(`Bearer ${key}`);
  await use("pd_early");
  for (const key of many) await use(key);
  await use("pd_late");
  for (const key of many) await use(key);
  for (const key of others) {
    expect(authenticator.recall(`Bearer ${key}`)).toMatchObject(known(key));
  }
  const remembered = many.filter((key) => authenticator.recall(`Bearer ${key}`) !== undefined);
  expect(remembered).toEqual(many.slice(-capacity + others.length));
});

test("if no account has more than its share, the oldest credential is forgotten", async () => {
  const findCredential = async (bearer: string) => {
    const credential = credentialOf(bearer);
    return { ...credential, account: { ...credential.account, accountId: `acc_of_${bearer}` } };
  };
  const authenticator = authenticatorOn({ findCredential }, { capacity: 16 });
  const keys = Array.from({ length: 20 }, (_, index) => `pd_${index}`);
  for (const key of keys) await authenticator.authenticate(`Bearer ${key}`);
  const remembered = keys.filter((key) => authenticator.recall(`Bearer ${key}`) !== undefined);
  expect(remembered).toEqual(keys.slice(4));
});
