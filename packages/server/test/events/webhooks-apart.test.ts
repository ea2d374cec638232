import { describe, expect, test } from "vitest";
import { note } from "../../src/storage/conformance/harness.ts";
import type { Store } from "../../src/storage/store.ts";
import { startCourier } from "./support/courier-node.ts";
import { eventWorlds } from "./support/event-world.ts";
import { messagesIn, openReceiver } from "./support/told-events.ts";

describe.each(["sqlite", "postgres"] as const)("webhooks apart from each other on %s", (kind) => {
  const open = eventWorlds(kind);

  test("an account whose receivers hang leaves places to others", async () => {
    const { store, addWebhook, happen } = await open();
    const [hanging, healthy] = [await openReceiver(), await openReceiver()];
    hanging.answerWith(() => {});
    for (let count = 0; count < 10; count++) {
      await addWebhook({ accountId: "greedy", endpointId: `h${count}`, url: hanging.url });
    }
    await addWebhook({ url: healthy.url });
    await startCourier(store, { places: { steady: 8, failing: 1 } });
    await happen(1, "greedy");
    await hanging.received(4);
    const ids = await happen(3);
    expect(messagesIn(await healthy.received(3))).toEqual(ids);
    expect(hanging.receipts).toHaveLength(4);
    expect(hanging.receipts.every(({ endedAt }) => endedAt === null)).toBe(true);
  });

  test("receivers that fail have places of their own", async () => {
    const { store, addWebhook, happen } = await open();
    const [failing, healthy] = [await openReceiver(), await openReceiver()];
    failing.answerWith(({ attempt }, response) => {
      if (attempt === 1) response.writeHead(500).end();
    });
    for (const endpointId of ["f1", "f2", "f3"]) {
      await addWebhook({ accountId: endpointId, endpointId, url: failing.url });
      await happen(1, endpointId);
    }
    await addWebhook({ url: healthy.url });
    await startCourier(store, { places: { steady: 1, failing: 1 } });
    const hangs = ({ attempt }: { readonly attempt: number }): boolean => attempt === 2;
    await failing.received(1, hangs);
    const ids = await happen(3);
    expect(messagesIn(await healthy.received(3))).toEqual(ids);
    expect(failing.receipts.filter(hangs)).toHaveLength(1);
  });

  test("what is not for an endpoint is recorded now and then, and not read again", async () => {
    const { store, addWebhook, happenTogether, happen, webhook } = await open();
    const receiver = await openReceiver();
    const filter = { types: ["message.cancelled"], targetIds: null, labels: null };
    await addWebhook({ url: receiver.url, filter });
    await addWebhook({ endpointId: "all", url: "http://127.0.0.1:1/" });
    let records = 0;
    const reads: number[] = [];
    const counted: Store = {
      ...store,
      recordBatch(holder, ref, ...rest) {
        if (ref.endpointId === "e") records++;
        return store.recordBatch(holder, ref, ...rest);
      },
      readEvents(accountId, page) {
        if (page.limit > 1) reads.push(page.after);
        return store.readEvents(accountId, page);
      },
    };
    await store.updateEndpoint(
      { accountId: "acc", endpointId: "all" },
      { paused: true },
      null,
      note(),
    );
    const first = await startCourier(counted);
    await happenTogether(6_000);
    await expect
      .poll(async () => (await webhook()).progress!.position)
      .toBeGreaterThanOrEqual(5_000);
    expect(records).toBeLessThan(4);
    const { lastSuccessTime, position } = (await webhook()).progress!;
    expect(lastSuccessTime).toBeNull();
    await first.stop();

    reads.length = 0;
    await startCourier(counted);
    const [messageId] = await happen(1);
    await store.cancelMessage({ accountId: "acc", messageId: messageId!, waitMs: 0 });
    expect(messagesIn(await receiver.received(1))).toEqual([messageId]);
    expect(Math.min(...reads)).toBeGreaterThanOrEqual(position);
  });

  test("an answer is kept once a change of its endpoint is over, and nothing is sent twice", async () => {
    const { store, addWebhook, happen } = await open();
    const receiver = await openReceiver();
    await addWebhook({ url: receiver.url });
    let left = 2;
    const changing: Store = {
      ...store,
      recordBatch: async (...given) => (left-- > 0 ? "busy" : store.recordBatch(...given)),
    };
    const { troubles } = await startCourier(changing);
    const ids = await happen(2);
    expect(messagesIn(await receiver.received(2))).toEqual(ids);
    expect(left).toBeLessThan(0);
    expect(troubles).toEqual([]);
  });

  test("nothing more is sent for an endpoint that was removed", async () => {
    const { store, addWebhook, happen } = await open();
    const [receiver, other] = [await openReceiver(), await openReceiver()];
    const held = Promise.withResolvers<() => void>();
    receiver.answerWith((_, response) => held.resolve(() => response.writeHead(500).end()));
    await addWebhook({ url: receiver.url });
    await addWebhook({ endpointId: "other", url: other.url });
    const { courier, troubles } = await startCourier(store);
    await happen(1);
    const answer = await held.promise;
    await store.removeEndpoint({ accountId: "acc", endpointId: "e" }, note());
    courier.noteEndpoint({ accountId: "acc" });
    answer();
    await happen(2);
    await other.received(3);
    expect(receiver.receipts).toHaveLength(1);
    expect(troubles).toEqual([]);
  });

  test("an endpoint that is made anew has nothing of the one before it", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const [before, after, other] = [
      await openReceiver(),
      await openReceiver(),
      await openReceiver(),
    ];
    await addWebhook({ url: before.url });
    const ref = { accountId: "acc", endpointId: "e" };
    await store.updateEndpoint(ref, { maxBatch: 5 }, null, note());
    await startCourier(store);
    await happen(1);
    await expect.poll(async () => (await webhook()).progress!.position).toBe(1);
    // Nobody tells this node, so it sees both at once.
    await store.removeEndpoint(ref, note());
    await addWebhook({ url: after.url });
    await addWebhook({ accountId: "other", url: other.url });
    await happen(1, "other");
    await other.received(1);
    const ids = await happen(2);
    expect(messagesIn(await after.received(2))).toEqual(ids);
    expect(before.receipts).toHaveLength(1);
  });

  test("a node that has lost its membership gives up what is under way", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    receiver.answerWith(() => {});
    await addWebhook({ url: receiver.url });
    const [id] = await happen(1);
    const { courier, membership } = await startCourier(store);
    await receiver.received(1);
    membership.holder = undefined;
    courier.interrupt();
    await expect.poll(() => receiver.receipts[0]!.endedAt).not.toBeNull();
    expect((await webhook()).progress).toMatchObject({ failures: 0, batchEnd: null });
    receiver.answerWith((_, response) => response.writeHead(204).end());
    membership.holder = await store.join("node", "all");
    courier.noteEndpoint();
    const receipts = await receiver.received(2);
    expect(messagesIn(receipts)).toEqual([id, id]);
    expect(receipts[1]!.messageId).toBe(receipts[0]!.messageId);
  });
});
