import { expect, test } from "vitest";
import { mostEndpoints } from "../../../domain/events/event-endpoint.ts";
import type { Store } from "../../store.ts";
import { account, entriesOf, farFuture, note, otherAccount, schedule } from "../harness.ts";
import { minute, noon } from "../schedules/schedule-harness.ts";
import type { MakeClockedLocation } from "../schedules/schedule-harness.ts";
import {
  changeEndpoint,
  createEndpoint,
  endpointRef,
  eventWorldsOf,
  moveAll,
  newEndpoint,
  newWebhook,
  removeEndpoint,
} from "./event-harness.ts";

const endpointNote = (accountId = account) => note({ action: "event-endpoint.updated", accountId });

async function ownEntries(store: Store): Promise<number> {
  const entries = await entriesOf(store);
  return entries.filter(({ action }) => action === "event-endpoint.updated").length;
}

export function eventEndpointsSuite(makeLocation: MakeClockedLocation): void {
  const openAny = eventWorldsOf(makeLocation);
  const open = () => openAny({ isSilent: true });

  test("an endpoint is created, and reads back as it is", async () => {
    const world = await open();
    const filter = { types: ["message.*"], targetIds: ["t"], labels: { a: "'" } };
    const stream = await createEndpoint(world.store, newEndpoint("s", { filter }));
    const common = {
      ...{ paused: false, disabledTime: null, creationTime: noon, updateTime: noon, revision: 1 },
      startPosition: 0,
    };
    expect(stream).toEqual({ ...newEndpoint("s", { filter }), ...common, progress: null });
    const webhook = await createEndpoint(world.store, newWebhook("w"));
    expect(webhook).toEqual({
      ...newWebhook("w"),
      ...common,
      progress: {
        ...{ position: 0, batchEnd: null, failures: 0, retryTime: null, lastError: null },
        ...{ lastSuccessTime: null, round: 1 },
      },
    });
    await world.reopen();
    const { store } = world;
    expect(await store.getEndpoint(endpointRef("s"))).toEqual(stream);
    expect(await store.getEndpoint(endpointRef("w"))).toEqual(webhook);
    expect(await store.getEndpoint(endpointRef("w", otherAccount))).toBeUndefined();
    expect(await store.getEndpoint(endpointRef("x"))).toBeUndefined();
    expect(await store.listEndpoints(account)).toEqual([stream, webhook]);
    expect(await store.listEndpoints(otherAccount)).toEqual([]);
    expect(await store.listEndpoints("acc_nobody")).toEqual([]);
  });

  test("ids are unique in an account, which has ten at most", async () => {
    const { store } = await open();
    const create = (endpointId: string, accountId = account) =>
      store.createEndpoint(newEndpoint(endpointId, { accountId }), endpointNote(accountId));
    const ids = Array.from({ length: mostEndpoints }, (_, index) => `e${9 - index}`);
    for (const id of ids) expect(await create(id)).toMatchObject({ kind: "created" });
    expect(await create("e5")).toEqual({ kind: "exists" });
    expect(await create("new")).toEqual({ kind: "too-many" });
    expect(await create("e5", otherAccount)).toMatchObject({ kind: "created" });
    expect(await create("e", "acc_nobody")).toEqual({ kind: "no-account" });
    const listed = await store.listEndpoints(account);
    expect(listed.map(({ endpointId }) => endpointId)).toEqual(ids.toSorted());
    expect(await ownEntries(store)).toBe(mostEndpoints);
    await removeEndpoint(store, "e5");
    expect(await create("new")).toMatchObject({ kind: "created" });
  });

  test("of concurrent calls for one id, one creates the endpoint, and none is beyond ten", async () => {
    const { store } = await open();
    const attempts = Array.from({ length: 15 }, (_, index) =>
      store.createEndpoint(newEndpoint(`e${index}`), note()),
    );
    const same = Array.from({ length: 3 }, () =>
      store.createEndpoint(newEndpoint("same", { accountId: otherAccount }), note()),
    );
    const kinds = (await Promise.all(attempts)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(mostEndpoints);
    const others = (await Promise.all(same)).map(({ kind }) => kind);
    expect(others.toSorted()).toEqual(["created", "exists", "exists"]);
  });

  test("a change replaces what it names, at the given revision", async () => {
    const world = await open();
    const { store } = world;
    const before = await createEndpoint(store, newWebhook("w"));
    await world.pass(minute);
    const filter = { types: null, targetIds: ["t"], labels: null };
    const update = (revision: number | null, change: object, id = "w") =>
      store.updateEndpoint(endpointRef(id), change, revision, endpointNote());
    const after = {
      ...{ ...before, filter, maxBatch: 7, sealedSettings: "new", updateTime: world.now },
      revision: 2,
      progress: { ...before.progress!, round: 2 },
    };
    expect(await update(1, { filter, maxBatch: 7, sealedSettings: "new" })).toEqual({
      ...{ kind: "updated", endpoint: after },
    });
    expect(await store.getEndpoint(endpointRef("w"))).toEqual(after);
    expect(await update(1, { maxBatch: 9 })).toEqual({ kind: "changed-meanwhile" });
    expect(await update(null, { maxBatch: 9 }, "x")).toEqual({ kind: "not-found" });
    expect(await update(null, { paused: true })).toMatchObject({ endpoint: { paused: true } });
    expect(await update(null, { paused: false, sealedSecrets: "others" })).toMatchObject({
      endpoint: { paused: false, sealedSecrets: "others", revision: 4 },
    });
    expect(await ownEntries(store)).toBe(1 + 3);
  });

  test("a webhook sends again from a position, not before its start", async () => {
    const world = await open();
    const { store } = world;
    await createEndpoint(store, newEndpoint("all"));
    for (let index = 0; index < 3; index++) await schedule(store, "t", farFuture);
    await moveAll(store);
    await createEndpoint(store, newWebhook("w"));
    for (let index = 0; index < 3; index++) await schedule(store, "t", farFuture);
    await moveAll(store);
    expect((await changeEndpoint(store, "w", { position: 5 })).progress).toMatchObject({
      ...{ position: 5, round: 2 },
    });
    expect((await changeEndpoint(store, "w", { position: 1 })).progress).toMatchObject({
      ...{ position: 3, round: 3 },
    });
    const stream = await changeEndpoint(store, "all", { position: 1 });
    expect(stream.progress).toBeNull();
  });

  test("a removed endpoint is gone, and its id is free", async () => {
    const { store } = await open();
    const made = await createEndpoint(store, newWebhook("w"));
    expect(await removeEndpoint(store, "w", otherAccount)).toBeUndefined();
    expect(await removeEndpoint(store, "w")).toEqual(made);
    expect(await removeEndpoint(store, "w")).toBeUndefined();
    expect(await store.getEndpoint(endpointRef("w"))).toBeUndefined();
    expect(await ownEntries(store)).toBe(2);
    const again = await createEndpoint(store, newEndpoint("w"));
    expect(again).toMatchObject({ kind: "stream", revision: 1 });
  });
}
