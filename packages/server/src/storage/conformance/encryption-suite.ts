import { expect, test } from "vitest";
import { beginRotation, sealedPlaces } from "../../domain/key-rotation.ts";
import type { SealedPlace } from "../../domain/key-rotation.ts";
import { hourly } from "./schedules/schedule-harness.ts";
import type { RotationStep, SealedValue, Store } from "../store.ts";
import { newEndpoint, newWebhook } from "./events/event-harness.ts";
import type { MakeLocation } from "./harness.ts";
import {
  account,
  entriesOf,
  farFuture,
  makeTarget,
  note,
  refTo,
  schedule,
  storesOf,
} from "./harness.ts";

const nodeId = "node 1";
const one = { nodeId, keyId: "key_1", readable: ["key_1"], firstKeyId: null };
const oneAndTwo = ["key_1", "key_2"];

function step(change: Partial<RotationStep> = {}): RotationStep {
  return {
    revision: 0,
    rotation: beginRotation("key_2", 1_000),
    rewrite: null,
    retire: null,
    note: null,
    ...change,
  };
}

async function allAt(store: Store, place: SealedPlace): Promise<SealedValue[]> {
  const all: SealedValue[] = [];
  let after: string | null = null;
  do {
    const { values, reached } = await store.readSealed(place, after);
    all.push(...values);
    after = reached;
  } while (after !== null);
  return all;
}

export function encryptionSuite(
  makeLocation: MakeLocation,
  { shared }: { readonly shared: boolean },
): void {
  const open = storesOf(makeLocation);

  test("a start adds its key to those in use, and lacks none of them", async () => {
    const { store, reopen } = await open();
    expect(await store.encryptionState()).toEqual({
      keyIds: [],
      nodes: [],
      rotation: null,
      revision: 0,
    });
    expect(await store.useEncryptionKey(one)).toEqual({ kind: "used" });
    const again = await reopen();
    const next = { ...one, keyId: "key_2", readable: ["key_2"] };
    expect(await again.useEncryptionKey(next)).toEqual({
      kind: "missing-keys",
      keyIds: ["key_1"],
    });
    expect((await again.encryptionState()).keyIds).toEqual(["key_1"]);
    expect(await again.useEncryptionKey({ ...next, readable: oneAndTwo })).toEqual({
      kind: "used",
    });
    expect(await again.encryptionState()).toMatchObject({
      keyIds: oneAndTwo,
      nodes: [{ nodeId, keyId: "key_2" }],
    });
  });

  test("the key of older values counts as in use", async () => {
    const { store } = await open();
    const next = { nodeId, keyId: "key_2", readable: oneAndTwo, firstKeyId: "key_1" };
    expect(await store.useEncryptionKey({ ...next, readable: ["key_2"] })).toMatchObject({
      kind: "missing-keys",
    });
    expect(await store.useEncryptionKey(next)).toEqual({ kind: "used" });
    expect((await store.encryptionState()).keyIds).toEqual(oneAndTwo);
  });

  test("every sealed value is found once, and sealed anew only while it is unchanged", async () => {
    const { store } = await open();
    for (let index = 0; index < 7; index++) {
      const sealedSettings = `settings${index}`;
      await makeTarget(store, `t${index}`, { sealedSettings, sealedSecrets: `secrets${index}` });
      const headers = { names: ["a"], sealed: `headers${index}` };
      await schedule(store, `t${index}`, farFuture, {
        options: { headers, labels: { sealed: "x" } },
      });
      await schedule(store, `t${index}`, farFuture);
      await schedule(store, `t${index}`, farFuture, { options: { labels: { sealed: "x" } } });
      const made = newWebhook(`evt_${index}`, {
        sealedSettings: `address${index}`,
        sealedSecrets: `signing${index}`,
      });
      await store.createEndpoint(made, note());
      const message = { headers: { names: ["a"], sealed: `scheduled${index}` } };
      const definition = hourly({ targetId: `t${index}`, message, startTime: farFuture });
      await store.createSchedule(
        { accountId: account, scheduleId: `s${index}`, definition },
        note(),
      );
    }
    await store.createEndpoint(newEndpoint("evt_stream"), note());
    const key = { keyId: "sig_1", publicKey: "{}", sealedPrivateKey: "private" };
    await store.addSigningKey(key, null, note({ accountId: null }));
    const found = new Map<SealedPlace, readonly SealedValue[]>();
    for (const place of sealedPlaces) found.set(place, await allAt(store, place));
    const seven = (name: string) => Array.from({ length: 7 }, (_, index) => `${name}${index}`);
    const textsAt = (place: SealedPlace) =>
      found
        .get(place)!
        .map(({ sealed }) => sealed)
        .toSorted();
    expect(Object.fromEntries(sealedPlaces.map((place) => [place, textsAt(place)]))).toEqual({
      targetSettings: seven("settings"),
      targetSecrets: seven("secrets"),
      endpointSettings: seven("address"),
      endpointSecrets: seven("signing"),
      signingKeys: ["private"],
      schedules: seven("scheduled"),
      messages: seven("headers"),
    });

    let revision = 0;
    for (const place of sealedPlaces) {
      const values = found.get(place)!.map((each) => ({ ...each, anew: `new ${each.sealed}` }));
      const made = await store.advanceRotation(step({ revision, rewrite: { place, values } }));
      expect([place, made]).toEqual([place, { kind: "advanced", rewritten: values.length }]);
      revision++;
      // The values have changed: a late repeat changes nothing.
      const late = values.map((each) => ({ ...each, sealed: `old ${each.sealed}` }));
      const repeat = step({ revision, rewrite: { place, values: late } });
      expect(await store.advanceRotation(repeat)).toEqual({ kind: "advanced", rewritten: 0 });
      revision++;
      const texts = (await allAt(store, place)).map(({ sealed }) => sealed).toSorted();
      expect(texts).toEqual(textsAt(place).map((text) => `new ${text}`));
    }
  });

  test("a message that is sealed anew keeps all the rest", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const options = {
      key: "order",
      labels: { sealed: "h", a: "b" },
      headers: { names: ["x-a"], sealed: "aGVhZGVycw==" },
    };
    const message = await schedule(store, "t", farFuture, { options });
    const before = await store.getMessage(refTo(message));
    const [value] = await allAt(store, "messages");
    const values = [{ ...value!, anew: "bmV3" }];
    await store.advanceRotation(step({ rewrite: { place: "messages", values } }));
    expect(await store.getMessage(refTo(message))).toEqual({
      ...before,
      options: { ...options, headers: { names: ["x-a"], sealed: "bmV3" } },
    });
  });

  test("only the next revision is stored, with its note", async () => {
    const { store, reopen } = await open();
    const asked = note({ accountId: null, action: "encryption-key.rotated" });
    const begun = await Promise.all([
      store.advanceRotation(step({ note: asked })),
      store.advanceRotation(step()),
    ]);
    expect(begun.map(({ kind }) => kind).toSorted()).toEqual(["advanced", "changed"]);
    const changed = await store.advanceRotation(step({ revision: 5 }));
    expect(changed).toEqual({ kind: "changed" });
    const rotation = { ...beginRotation("key_2", 1_000), met: 3, holder: "a" };
    await store.advanceRotation(step({ revision: 1, rotation }));
    const again = await reopen();
    expect(await again.encryptionState()).toMatchObject({ revision: 2, rotation });
    expect(await entriesOf(again, null)).toHaveLength(begun[0].kind === "advanced" ? 1 : 0);
  });

  test("keys are retired only once no node seals with them", async () => {
    const { store } = await open();
    await store.keepEncryptionCheck("old check");
    await store.useEncryptionKey(one);
    await store.advanceRotation(step());
    const retire = step({ revision: 1, retire: { check: "new check" } });
    expect(await store.advanceRotation(retire)).toEqual({ kind: "in-use", nodeIds: [nodeId] });
    expect(await store.encryptionState()).toMatchObject({ keyIds: ["key_1"], revision: 1 });
    expect(await store.encryptionCheck()).toBe("old check");
    await store.useEncryptionKey({ ...one, keyId: "key_2", readable: oneAndTwo });
    expect(await store.advanceRotation(retire)).toEqual({ kind: "advanced", rewritten: 0 });
    expect((await store.encryptionState()).keyIds).toEqual(["key_2"]);
    expect(await store.encryptionCheck()).toBe("new check");
    expect(await store.useEncryptionKey({ ...one, keyId: "key_2", readable: ["key_2"] })).toEqual({
      kind: "used",
    });
  });

  test("a node that begins to seal with another key unsettles an exchange under way", async () => {
    const { store } = await open();
    await store.useEncryptionKey({
      ...one,
      keyId: "key_2",
      readable: oneAndTwo,
      firstKeyId: "key_1",
    });
    await store.advanceRotation(step());
    await store.useEncryptionKey({ ...one, keyId: "key_2", readable: oneAndTwo });
    expect(await store.encryptionState()).toMatchObject({
      revision: 1,
      rotation: { isUnsettled: false },
    });
    await store.useEncryptionKey({ ...one, readable: oneAndTwo });
    const { revision, rotation } = await store.encryptionState();
    expect([revision, rotation!.isUnsettled]).toEqual([2, true]);
    expect(rotation!.settledTime).toBeGreaterThan(1_000);
    expect(await store.advanceRotation(step({ revision: 1 }))).toEqual({ kind: "changed" });
  });

  if (!shared) return;

  test("a key that a living node cannot read seals nothing", async () => {
    const { store, openAnother } = await open();
    const other = await openAnother();
    await store.useEncryptionKey(one);
    const two = { nodeId: "node 2", keyId: "key_2", readable: oneAndTwo, firstKeyId: null };
    expect(await other.useEncryptionKey(two)).toEqual({ kind: "unread-by", nodeIds: [nodeId] });
    expect((await other.encryptionState()).keyIds).toEqual(["key_1"]);
    await store.useEncryptionKey({ ...one, readable: oneAndTwo });
    expect(await other.useEncryptionKey(two)).toEqual({ kind: "used" });
    expect(await store.encryptionState()).toMatchObject({
      keyIds: oneAndTwo,
      nodes: [
        { nodeId, keyId: "key_1" },
        { nodeId: "node 2", keyId: "key_2" },
      ],
    });
  });

  test("a node that has left seals with nothing, and one that says nothing counts", async () => {
    const { store, openAnother } = await open();
    const other = await openAnother();
    await store.useEncryptionKey(one);
    const holder = await store.join(nodeId, "all");
    await other.join("older", "all");
    expect((await other.encryptionState()).nodes).toEqual([
      { nodeId, keyId: "key_1" },
      { nodeId: "older", keyId: null },
    ]);
    await store.leave(holder);
    expect((await other.encryptionState()).nodes).toEqual([{ nodeId: "older", keyId: null }]);
    await other.advanceRotation(step());
    expect(await other.advanceRotation(step({ revision: 1, retire: { check: "x" } }))).toEqual({
      kind: "in-use",
      nodeIds: ["older"],
    });
  });
}
