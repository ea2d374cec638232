import { verify } from "@postdate/client/webhook";
import { describe, expect, test } from "vitest";
import { note } from "../../src/storage/conformance/harness.ts";
import { sealEventSecrets } from "../../src/targets/sealed-endpoint.ts";
import { verifyWebhook } from "../support/verify-webhook.ts";
import { startCourier } from "./support/courier-node.ts";
import { eventWorlds, secretBox, secrets } from "./support/event-world.ts";
import { messagesIn, openReceiver, toldIn } from "./support/told-events.ts";

describe.each(["sqlite", "postgres"] as const)("webhooks of events on %s", (kind) => {
  const open = eventWorlds(kind);

  test("each event is a signed request, in order, and the next waits for the answer", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    let underWay = 0;
    receiver.answerWith((_receipt, response) => {
      expect(++underWay).toBe(1);
      setImmediate(() => {
        underWay--;
        response.writeHead(204).end();
      });
    });
    await addWebhook({ url: receiver.url });
    const before = await happen(3);
    await startCourier(store);
    await receiver.received(3);
    const ids = [...before, ...(await happen(4))];
    const receipts = await receiver.received(7);
    expect(messagesIn(receipts)).toEqual(ids);
    for (const receipt of receipts) {
      expect(receipt.headers).toMatchObject({
        "content-type": "application/cloudevents+json",
        "postdate-event-endpoint": "e",
        "postdate-attempt": "1",
      });
      const [told] = toldIn(receipt);
      expect(told).toMatchObject({ id: receipt.messageId, type: "postdate.message.scheduled.v1" });
      verifyWebhook(secrets.current, receipt);
      const read = await verify(receipt, { secret: secrets.current });
      expect(read).toMatchObject({ messageId: told!.id, payload: receipt.body.toString() });
    }
    await expect
      .poll(async () => (await webhook()).progress)
      .toMatchObject({ position: 7, failures: 0, lastError: null, batchEnd: null });
    expect((await webhook()).progress!.lastSuccessTime).not.toBeNull();
  });

  test("several events are one request, as many as there are and as the endpoint takes", async () => {
    const { store, addWebhook, happen } = await open();
    const receiver = await openReceiver();
    await addWebhook({ url: receiver.url, maxBatch: 3 });
    const ids = await happen(7);
    if (kind === "postgres") await store.moveEvents(100);
    await startCourier(store);
    await receiver.received(1, (receipt) => messagesIn([receipt]).includes(ids[6]));
    expect(receiver.receipts.map((receipt) => toldIn(receipt).length)).toEqual([3, 3, 1]);
    expect(messagesIn(receiver.receipts)).toEqual(ids);
    for (const receipt of receiver.receipts) {
      expect(receipt.headers["content-type"]).toBe("application/cloudevents-batch+json");
      verifyWebhook(secrets.current, receipt);
    }
  });

  test("a request that failed is made again with the same id and body, and nothing passes it", async () => {
    const { store, addWebhook, happen, webhook } = await open();
    const receiver = await openReceiver();
    receiver.answerWith((_, response) => response.writeHead(500).end());
    await addWebhook({ url: receiver.url, maxBatch: 10 });
    const ids = await happen(2);
    if (kind === "postgres") await store.moveEvents(100);
    await startCourier(store);
    await receiver.received(1);
    ids.push(...(await happen(3)));
    await expect
      .poll(async () => (await webhook()).progress)
      .toMatchObject({
        position: 0,
        batchEnd: 2,
        failures: 1,
        lastError: "the receiver answered 500",
      });
    receiver.answerWith((_, response) => response.writeHead(204).end());
    const [first, second, ...rest] = await receiver.received(3);
    expect(second!.messageId).toBe(first!.messageId);
    expect(second!.body).toEqual(first!.body);
    expect(second!.attempt).toBe(2);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(750);
    expect(messagesIn([second!, ...rest])).toEqual(ids);
    await expect
      .poll(async () => (await webhook()).progress)
      .toMatchObject({ position: 5, failures: 0, lastError: null });
  });

  test("both secrets sign while a secret rotates", async () => {
    const { store, addWebhook, happen } = await open();
    const receiver = await openReceiver();
    await addWebhook({ url: receiver.url });
    const { courier } = await startCourier(store);
    await happen(1);
    await receiver.received(1);
    const current = `whsec_${Buffer.alloc(32, 2).toString("base64")}`;
    const rotated = {
      current,
      previous: secrets.current,
      previousUntil: store.clock.now() + 60_000,
    };
    const change = { sealedSecrets: sealEventSecrets(secretBox, rotated) };
    await store.updateEndpoint({ accountId: "acc", endpointId: "e" }, change, null, note());
    courier.noteEndpoint({ accountId: "acc" });
    await happen(1);
    const [, receipt] = await receiver.received(2);
    verifyWebhook(current, receipt!);
    verifyWebhook(secrets.current, receipt!);
    expect(await verify(receipt!, { secret: current })).toMatchObject({ attempt: 1 });
  });
});
