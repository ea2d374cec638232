import { describe, expect, test } from "vitest";
import { note } from "../../src/storage/conformance/harness.ts";
import type { EndpointChange } from "../../src/storage/store.ts";
import { startCourier } from "./support/courier-node.ts";
import { eventWorlds } from "./support/event-world.ts";
import type { EventWorld } from "./support/event-world.ts";
import { messagesIn, openReceiver, toldIn } from "./support/told-events.ts";

const ref = { accountId: "acc", endpointId: "e" };

function change({ store }: Pick<EventWorld, "store">, change: EndpointChange) {
  return store.updateEndpoint(ref, change, null, note());
}

describe.each(["sqlite", "postgres"] as const)("webhooks in trouble on %s", (kind) => {
  const open = eventWorlds(kind);

  test("410 disables the endpoint, tells of it, and a resume sends what is left", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const [receiver, other] = [await openReceiver(), await openReceiver()];
    await addWebhook({ url: receiver.url });
    const filter = { types: ["endpoint.disabled"], targetIds: null, labels: null };
    await addWebhook({ endpointId: "other", url: other.url, filter });
    receiver.answerWith((_, response) => response.writeHead(410).end());
    const { courier } = await startCourier(store);
    const ids = await happen(2);
    const [told] = await other.received(1);
    expect(toldIn(told!)).toMatchObject([
      {
        type: "postdate.endpoint.disabled.v1",
        subject: "event-endpoints/e",
        data: { endpoint: { endpointId: "e", statusCode: 410 } },
      },
    ]);
    const disabled = await webhook();
    expect(disabled.disabledTime).not.toBeNull();
    const lastError = "the receiver answered 410";
    expect(disabled.progress).toMatchObject({ failures: 1, position: 0, lastError });
    expect(receiver.receipts).toHaveLength(1);

    receiver.answerWith((_, response) => response.writeHead(204).end());
    await change({ store }, { revived: true });
    courier.noteEndpoint(ref);
    expect(messagesIn(await receiver.received(3))).toEqual([ids[0], ...ids]);
    expect((await webhook()).disabledTime).toBeNull();
  });

  test("the receiver says when to come again", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    receiver.answerWith(({ attempt }, response) =>
      response.writeHead(attempt === 1 ? 429 : 204, { "retry-after": "3" }).end(),
    );
    await addWebhook({ url: receiver.url });
    await startCourier(store);
    await happen(1);
    const [first] = await receiver.received(1);
    await expect.poll(async () => (await webhook()).progress!.retryTime).not.toBeNull();
    const { retryTime } = (await webhook()).progress!;
    const [, second] = await receiver.received(2);
    expect(second!.startedAt - first!.endedAt!).toBeGreaterThanOrEqual(2_900);
    if (kind === "sqlite") expect(second!.startedAt).toBeGreaterThanOrEqual(retryTime!);
  });

  test("nothing is sent while it is paused, and all of it after a resume", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const [receiver, other] = [await openReceiver(), await openReceiver()];
    await addWebhook({ url: receiver.url });
    await addWebhook({ endpointId: "other", url: other.url });
    const { courier } = await startCourier(store);
    const ids = await happen(1);
    await expect.poll(async () => (await webhook()).progress!.position).toBe(1);
    await change({ store }, { paused: true });
    courier.noteEndpoint(ref);
    ids.push(...(await happen(3)));
    await other.received(4);
    expect(receiver.receipts).toHaveLength(1);
    await change({ store }, { paused: false });
    courier.noteEndpoint(ref);
    expect(messagesIn(await receiver.received(4))).toEqual(ids);
  });

  test("a resume waits for the request that was under way at the pause", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const [receiver, other] = [await openReceiver(), await openReceiver()];
    const held = Promise.withResolvers<() => void>();
    receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
    await addWebhook({ url: receiver.url });
    await addWebhook({ endpointId: "other", url: other.url });
    const { courier } = await startCourier(store);
    const ids = await happen(1);
    const answer = await held.promise;
    receiver.answerWith((_, response) => response.writeHead(204).end());
    for (const paused of [true, false]) {
      await change({ store }, { paused });
      courier.noteEndpoint(ref);
      // The other endpoint gets the next event only after the courier has seen the change.
      ids.push(...(await happen(1)));
      await other.received(ids.length);
    }
    expect(receiver.receipts).toHaveLength(1);
    answer();
    expect(messagesIn(await receiver.received(3))).toEqual(ids);
    await expect.poll(async () => (await webhook()).progress!.position).toBe(3);
  });

  test("nothing is sent while the account is suspended", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    await addWebhook({ url: receiver.url });
    const ids = await happen(2);
    if (kind === "postgres") await store.moveEvents(100);
    await store.updateAccount("acc", { state: "SUSPENDED" }, note());
    const { courier } = await startCourier(store);
    await addWebhook({ accountId: "other", url: receiver.url });
    await happen(1, "other");
    courier.noteEndpoint();
    await receiver.received(1);
    expect(toldIn(receiver.receipts[0]!)).toMatchObject([{ source: "/accounts/other" }]);
    expect((await webhook()).progress).toMatchObject({ position: 0, failures: 0 });
    await store.updateAccount("acc", { state: "ACTIVE" }, note());
    expect(messagesIn((await receiver.received(3)).slice(1))).toEqual(ids);
  });

  test("a rewind during a request counts, and the answer to the request does not", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    await addWebhook({ url: receiver.url });
    await startCourier(store);
    const ids = await happen(2);
    await receiver.received(2);
    await expect.poll(async () => (await webhook()).progress!.position).toBe(2);
    const held = Promise.withResolvers<() => void>();
    receiver.answerWith((_, response) => held.resolve(() => response.writeHead(204).end()));
    ids.push(...(await happen(1)));
    const answerThird = await held.promise;
    // Nobody tells this node: another one may have been asked.
    await change({ store }, { position: 0 });
    receiver.answerWith((_, response) => response.writeHead(204).end());
    answerThird();
    const receipts = await receiver.received(6);
    expect(messagesIn(receipts)).toEqual([...ids, ...ids]);
    const told = receipts.flatMap(toldIn).map(({ id }) => id);
    expect(told.slice(3)).toEqual(told.slice(0, 3));
    await expect
      .poll(async () => (await webhook()).progress)
      .toMatchObject({ position: 3, round: 2 });
  });

  test("events that have left the log are told as a gap, and the rest follows", async () => {
    const { store, addWebhook, happen, webhook } = await open({ eventRetentionMs: 1 });
    const receiver = await openReceiver();
    receiver.answerWith((_, response) => response.writeHead(500).end());
    await addWebhook({ url: receiver.url, maxBatch: 10 });
    await happen(3);
    if (kind === "postgres") await store.moveEvents(100);
    const { courier } = await startCourier(store);
    await receiver.received(1);
    await expect.poll(async () => (await webhook()).progress!.failures).toBeGreaterThan(0);
    await expect.poll(async () => (await store.removeOldEvents(100)).removed).toBe(3);
    receiver.answerWith((_, response) => response.writeHead(204).end());
    const [left] = await happen(1);
    await change({ store }, { revived: true });
    courier.noteEndpoint(ref);
    const receipts = await receiver.received(1, ({ body }) => body.includes("postdate.gap.v1"));
    const told = receipts.flatMap(toldIn);
    expect(told[0]).toMatchObject({
      source: "/accounts/acc",
      subject: "event-endpoints/e",
      data: { gap: { events: 3 } },
    });
    expect(told[1]?.data.message?.messageId).toBe(left);
    await expect
      .poll(async () => (await webhook()).progress)
      .toMatchObject({ position: 4, failures: 0 });
  });

  test("a private address is refused, also behind a name, and a redirect is not followed", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const [receiver, elsewhere] = [await openReceiver(), await openReceiver()];
    const { port } = new URL(receiver.url);
    await addWebhook({ url: receiver.url });
    await addWebhook({ endpointId: "named", url: `http://localhost:${port}/` });
    const strict = await startCourier(store, { allowCidrs: [] });
    await happen(1);
    const errorOf = async (endpointId: string) => (await webhook(endpointId)).progress!.lastError;
    await expect.poll(() => errorOf("e")).toBe("the address of 127.0.0.1 is not allowed");
    await expect.poll(() => errorOf("named")).toBe("the address of localhost is not allowed");
    expect(receiver.receipts).toHaveLength(0);
    await strict.stop();

    receiver.answerWith((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end(),
    );
    await startCourier(store);
    await receiver.received(1);
    await expect.poll(() => errorOf("e")).toBe("the receiver answered 302");
    expect(elsewhere.receipts).toHaveLength(0);
  });

  test("a stop lets go of a receiver that hangs, and the next node makes the same request", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    receiver.answerWith(() => {});
    await addWebhook({ url: receiver.url, maxBatch: 10 });
    const ids = await happen(2);
    if (kind === "postgres") await store.moveEvents(100);
    const first = await startCourier(store);
    await receiver.received(1);
    await first.stop();
    expect((await webhook()).progress).toMatchObject({
      ...{ position: 0, batchEnd: 2 },
      lastError: "the server stopped before the receiver answered",
    });
    ids.push(...(await happen(1)));
    receiver.answerWith((_, response) => response.writeHead(204).end());
    await startCourier(store);
    const receipts = await receiver.received(3);
    expect(receipts[1]!.messageId).toBe(receipts[0]!.messageId);
    expect(receipts[1]!.body).toEqual(receipts[0]!.body);
    expect(messagesIn(receipts.slice(1))).toEqual(ids);
    expect(first.troubles).toEqual([]);
  });
});
