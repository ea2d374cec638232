import { expect, test } from "vitest";
import { signingKeyLeadMs } from "../../src/domain/signing-keys.ts";
import { day, hour, issued, keyIdOf, minute, noteOf, openTokens } from "./support/test-tokens.ts";

const publishedBy = async (tokens: ReturnType<typeof openTokens>["tokens"]) =>
  (await tokens.publicKeys()).keys.map(({ kid }) => kid);

test("nobody who only looks makes a key; the first token does", async () => {
  const { tokens, store } = openTokens();
  expect(await tokens.publicKeys()).toEqual({ keys: [] });
  expect(await tokens.listSigningKeys()).toEqual([]);
  expect(await tokens.verify("a.b.c")).toBeUndefined();
  expect(await store.listSigningKeys()).toEqual([]);
  const token = await issued(tokens);
  expect(await publishedBy(tokens)).toEqual([keyIdOf(token)]);
  expect(await tokens.listSigningKeys()).toMatchObject([
    { keyId: keyIdOf(token), state: "SIGNING" },
  ]);
});

test("published are public halves alone, and the kept private half is sealed", async () => {
  const { tokens, store } = openTokens();
  await issued(tokens);
  const { keys } = await tokens.publicKeys();
  expect(Object.keys(keys[0]!).toSorted()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  expect(keys[0]).toMatchObject({ alg: "ES256", crv: "P-256", kty: "EC", use: "sig" });
  const [kept] = await store.listSigningKeys();
  expect(JSON.parse(kept!.publicKey)).not.toHaveProperty("d");
  expect(Buffer.from(kept!.sealedPrivateKey, "base64").toString("latin1")).not.toContain('"d"');
});

test("a new key is published, then signs, and the one before stays until its tokens expired", async () => {
  const { tokens, pass } = openTokens();
  const first = keyIdOf(await issued(tokens))!;
  pass(30 * day);
  expect(keyIdOf(await issued(tokens))).toBe(first);
  const second = (await publishedBy(tokens))[1]!;
  expect(second).not.toBe(first);
  expect((await tokens.listSigningKeys()).map(({ state }) => state)).toEqual([
    "SIGNING",
    "UPCOMING",
  ]);

  pass(signingKeyLeadMs - 1);
  const lastOfFirst = await issued(tokens);
  expect(keyIdOf(lastOfFirst)).toBe(first);
  pass(1);
  expect(keyIdOf(await issued(tokens))).toBe(second);
  expect(await tokens.verify(lastOfFirst)).toBeDefined();

  pass(hour - 1_001);
  expect(await tokens.verify(lastOfFirst)).toBeDefined();
  expect(await publishedBy(tokens)).toEqual([first, second]);
  pass(2 * minute);
  expect(await tokens.verify(lastOfFirst)).toBeUndefined();
  expect(await publishedBy(tokens)).toEqual([second]);
});

test("many requests at once, on several nodes, make one key", async () => {
  const { tokens, another, store } = openTokens();
  const nodes = [tokens, another(), another()];
  const made = await Promise.all([...nodes, ...nodes, ...nodes].map(issued));
  expect(new Set(made.map(keyIdOf)).size).toBe(1);
  expect(await store.listSigningKeys()).toHaveLength(1);
  const entries = await store.listAuditEntries({
    accountId: null,
    minTime: null,
    maxTime: null,
    after: null,
    limit: 10,
  });
  expect(entries.map(({ action, subjectId }) => [action, subjectId])).toEqual([
    ["signing-key.created", keyIdOf(made[0]!)],
  ]);
});

test("a node learns of a key that another one has just made, in time for its first token", async () => {
  const { tokens, another } = openTokens();
  const other = another();
  expect(await other.publicKeys()).toEqual({ keys: [] });
  expect(await other.verify(await issued(tokens))).toBeDefined();
  await tokens.rotateSigningKey(true, noteOf);
  expect(await other.verify(await issued(tokens))).toBeDefined();
});

test("rotating adds a key that waits for its turn; old tokens stay good", async () => {
  const { tokens, pass } = openTokens();
  const token = await issued(tokens);
  const keys = await tokens.rotateSigningKey(false, noteOf);
  expect(keys.map(({ state }) => state)).toEqual(["SIGNING", "UPCOMING"]);
  expect(await tokens.verify(token)).toBeDefined();
  // The store gives no two keys the same time.
  pass(signingKeyLeadMs + 1);
  expect(keyIdOf(await issued(tokens))).toBe(keys[1]!.keyId);
  expect(await tokens.verify(token)).toBeDefined();
});

test("with removeOld the tokens issued before are void, on other nodes within what they remember", async () => {
  const { tokens, another, pass } = openTokens();
  const other = another();
  const token = await issued(tokens);
  expect(await other.verify(token)).toBeDefined();
  const keys = await tokens.rotateSigningKey(true, noteOf);
  expect(keys).toMatchObject([{ state: "SIGNING" }]);
  expect(await tokens.verify(token)).toBeUndefined();
  pass(501);
  expect(await other.verify(token)).toBeUndefined();
  const after = await issued(other);
  expect(keyIdOf(after)).toBe(keys[0]!.keyId);
  expect(await tokens.verify(after)).toBeDefined();
});

test("two who rotate and remove at the same moment leave a key", async () => {
  const { tokens, another, store } = openTokens();
  const token = await issued(tokens);
  await Promise.all([
    tokens.rotateSigningKey(true, noteOf),
    another().rotateSigningKey(true, noteOf),
  ]);
  const left = await store.listSigningKeys();
  expect(left.length).toBeGreaterThan(0);
  expect(left.map(({ keyId }) => keyId)).not.toContain(keyIdOf(token));
});

test("made-up key ids do not flood the store", async () => {
  const { tokens, calls } = openTokens();
  const [, payload, signature] = (await issued(tokens)).split(".");
  const before = calls("listSigningKeys");
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => {
      const header = { alg: "ES256", typ: "at+jwt", kid: `sig_${index}` };
      const text = Buffer.from(JSON.stringify(header)).toString("base64url");
      return tokens.verify(`${text}.${payload}.${signature}`);
    }),
  );
  expect(answers.every((answer) => answer === undefined)).toBe(true);
  expect(calls("listSigningKeys") - before).toBe(1);
});

test("keys that are known are not read again for every token", async () => {
  const { tokens, calls, pass } = openTokens();
  const token = await issued(tokens);
  await tokens.verify(token);
  const before = calls("listSigningKeys");
  for (let time = 0; time < 50; time++) await tokens.verify(token);
  expect(calls("listSigningKeys")).toBe(before);
  pass(501);
  await tokens.verify(token);
  expect(calls("listSigningKeys")).toBe(before + 1);
});
