import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { EventFilter } from "../../src/domain/events/event-endpoint.ts";
import { note } from "../../src/storage/conformance/harness.ts";
import { testStores } from "../../src/storage/postgres/testing/test-stores.ts";
import type { EndpointChange, Store } from "../../src/storage/store.ts";
import { sealEventSettings } from "../../src/targets/sealed-endpoint.ts";
import { startCourier } from "./support/courier-node.ts";
import { eventWorlds, secretBox, worldOn } from "./support/event-world.ts";
import type { EventWorld } from "./support/event-world.ts";
import { messagesIn, openReceiver } from "./support/told-events.ts";

const wanting = (...types: string[]): EventFilter => ({ types, targetIds: null, labels: null });

function moveTo(url: string): EndpointChange {
  return { sealedSettings: sealEventSettings(secretBox, { url, headers: {} }) };
}

/** The courier's looks wait while `blind`, so the courier learns of a change only when it reads to send. */
function blindable(store: Store) {
  let sight = Promise.resolve();
  let isRefused = false;
  let lastRead = 0;
  let seen = new Map<string, number>();
  const watched: Store = {
    ...store,
    async takeWebhooks(holder, limit) {
      await sight;
      const taken = await store.takeWebhooks(holder, limit);
      seen = new Map(taken.map(({ accountId, revision }) => [accountId, revision]));
      return taken;
    },
    async readEvents(accountId, page) {
      const read = await store.readEvents(accountId, page);
      if (accountId !== "acc") return read;
      if (read === undefined) isRefused = true;
      else lastRead = read.events.at(-1)?.position ?? lastRead;
      return read;
    },
  };
  return {
    watched,
    blind(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      sight = promise;
      return resolve;
    },
    hasSeen: (revision: number): boolean => seen.get("acc") === revision,
    /** The courier has come to this event: it has read it, or was told that it must not send. */
    hasCome: (position: number): boolean => isRefused || lastRead >= position,
  };
}

/** Another node is asked for each change: nobody tells the courier of it. */
async function changedElsewhere(world: EventWorld, filter = wanting("message.scheduled")) {
  const { watched, ...sight } = blindable(world.store);
  const [receiver, elsewhere] = [await openReceiver(), await openReceiver()];
  await world.addWebhook({ url: receiver.url, filter });
  await startCourier(watched);
  // What the first look has found is at work when the first event of another account has arrived.
  const started = await openReceiver();
  await world.addWebhook({ accountId: "first", url: started.url });
  await world.happen(1, "first");
  await started.received(1);
  const change = (to: EndpointChange) =>
    world.store.updateEndpoint({ accountId: "acc", endpointId: "e" }, to, null, note());
  return { ...world, ...sight, receiver, elsewhere, change };
}

describe.each(["sqlite", "postgres"] as const)("webhooks changed elsewhere on %s", (kind) => {
  const open = eventWorlds(kind);
  const openChanged = async (filter?: EventFilter) => changedElsewhere(await open(), filter);

  test("events that only the new filter wants are sent, all of them", async () => {
    const world = await openChanged(wanting("message.cancelled"));
    const see = world.blind();
    await world.change({ filter: wanting("message.scheduled") });
    const ids = await world.happen(2);
    await expect.poll(() => world.hasCome(2)).toBe(true);
    see();
    ids.push(...(await world.happen(1)));
    expect(messagesIn(await world.receiver.received(3))).toEqual(ids);
    await expect.poll(async () => (await world.webhook()).progress!.position).toBe(3);
  });

  test("what happens after the change of an address is sent to the new one alone", async () => {
    const world = await openChanged();
    const see = world.blind();
    await world.change(moveTo(world.elsewhere.url));
    const ids = await world.happen(1);
    await expect.poll(() => world.hasCome(1)).toBe(true);
    see();
    expect(messagesIn(await world.elsewhere.received(1))).toEqual(ids);
    expect(world.receiver.receipts).toEqual([]);
  });

  test("nothing that happens after a pause is sent before the resume", async () => {
    const world = await openChanged();
    const see = world.blind();
    await world.change({ paused: true });
    const ids = await world.happen(1);
    await expect.poll(() => world.hasCome(1)).toBe(true);
    await world.change({ ...moveTo(world.elsewhere.url), paused: false });
    see();
    expect(messagesIn(await world.elsewhere.received(1))).toEqual(ids);
    expect(world.receiver.receipts).toEqual([]);
  });

  test("a request that was under way at the change of the address is made again to the new one", async () => {
    const world = await openChanged();
    const held = Promise.withResolvers<() => void>();
    world.receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
    const ids = await world.happen(1);
    const answer = await held.promise;
    await world.change(moveTo(world.elsewhere.url));
    answer();
    const [again] = await world.elsewhere.received(1);
    expect(messagesIn([again!])).toEqual(ids);
    expect(again!.messageId).toBe(world.receiver.receipts[0]!.messageId);
    await expect.poll(async () => (await world.webhook()).progress!.position).toBe(1);
  });
});

describe("webhooks changed elsewhere in a database that was set back", () => {
  const makeStores = testStores();

  async function openSetBack(filter: EventFilter) {
    const { database, open } = await makeStores();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    return {
      ...(await changedElsewhere(worldOn(await open()), filter)),
      save: () => client.query("CREATE TABLE saved AS TABLE event_endpoints"),
      setBack: () =>
        client.query(`BEGIN; DELETE FROM event_endpoints;
          INSERT INTO event_endpoints SELECT * FROM saved; COMMIT`),
    };
  }

  test("events that only the new filter wants are sent, though its revision was given before", async () => {
    const world = await openSetBack(wanting("message.cancelled"));
    await world.save();
    await world.change({ filter: wanting("message.delivered") });
    await expect.poll(() => world.hasSeen(2), { timeout: 10_000 }).toBe(true);
    const see = world.blind();
    await world.setBack();
    const changed = await world.change({ filter: wanting("message.scheduled") });
    expect(changed).toMatchObject({ endpoint: { revision: 2 } });
    const ids = await world.happen(2);
    await expect.poll(() => world.hasCome(2), { timeout: 10_000 }).toBe(true);
    see();
    ids.push(...(await world.happen(1)));
    expect(messagesIn(await world.receiver.received(3))).toEqual(ids);
  });
});
