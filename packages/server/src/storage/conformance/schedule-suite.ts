import { expect, test } from "vitest";
import type { MakeLocation } from "./harness.ts";
import type { ScheduleRequest } from "../store.ts";
import {
  account,
  farFuture,
  limitMessages,
  makeTarget,
  otherAccount,
  refTo,
  schedule,
  storesOf,
} from "./harness.ts";

const oddPayloads = ["", "\0", "a\0b\u2028c\u2029", "😀".repeat(61_440), '"\\\n\r\t', "é\u0301"];

export function scheduleSuite(makeLocation: MakeLocation): void {
  const open = storesOf(makeLocation);

  test("a scheduled message has every field, and reads back the same", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const before = store.clock.now() - 1_000;
    const message = await schedule(store, "t", farFuture);
    expect(message).toMatchObject({
      targetId: "t",
      originalDeliveryTime: farFuture,
      nextDeliveryTime: farFuture,
      state: "SCHEDULED",
      deliveryFailureCount: 0,
      lastDeliveryTime: null,
      deadLetterTime: null,
      cancellationTime: null,
      expirationTime: null,
    });
    expect(message.schedulingTime).toBeGreaterThan(before);
    expect(await store.getMessage(refTo(message))).toEqual(message);
    expect(await store.counts()).toEqual({ pending: 1 });
  });

  test("payloads come back character for character", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const messages = [];
    for (const payload of oddPayloads)
      messages.push(await schedule(store, "t", farFuture, { payload }));
    const again = await reopen();
    for (const [index, message] of messages.entries()) {
      expect(await again.getPayload(refTo(message))).toBe(oddPayloads[index]);
    }
  });

  test("an acknowledged message is there after the store is opened again", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const message = await schedule(store, "t", farFuture);
    const again = await reopen();
    expect(await again.getMessage(refTo(message))).toEqual(message);
    expect(await again.counts()).toEqual({ pending: 1 });
  });

  test("each request of a batch stands alone, and answers come in order", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const request = {
      accountId: account,
      deliveryTime: farFuture,
      payload: "",
      options: null,
      idempotency: null,
    };
    const results = await store.scheduleMessages([
      { ...request, targetId: "t" },
      { ...request, targetId: "unknown" },
      { ...request, targetId: "t", accountId: otherAccount },
      { ...request, targetId: "t" },
    ]);
    expect(results.map((result) => result.kind)).toEqual([
      "scheduled",
      "no-target",
      "no-target",
      "scheduled",
    ]);
  });

  test("ids are unique and ascend in the order of scheduling", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const request = {
      accountId: account,
      targetId: "t",
      deliveryTime: farFuture,
      payload: "",
      options: null,
      idempotency: null,
    };
    const results = await store.scheduleMessages(Array.from({ length: 5_000 }, () => request));
    const ids = results.map((result) =>
      result.kind === "scheduled" ? result.message.messageId : "",
    );
    expect(new Set(ids).size).toBe(5_000);
    expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true);
  });

  test("concurrent callers each get their own message", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const messages = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        schedule(store, "t", farFuture, { payload: String(index) }),
      ),
    );
    const payloads = await Promise.all(messages.map((message) => store.getPayload(refTo(message))));
    expect(payloads).toEqual(messages.map((_, index) => String(index)));
  });

  test("an unknown id, a malformed id or an id of another account finds no message", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const { messageId } = await schedule(store, "t", farFuture);
    const lastCharacter = messageId.at(-1) === "0" ? "1" : "0";
    for (const ref of [
      { accountId: otherAccount, messageId },
      { accountId: "acc_nobody", messageId },
      { accountId: account, messageId: messageId.slice(0, -1) + lastCharacter },
      { accountId: account, messageId: "msg_" },
      { accountId: account, messageId: "" },
      { accountId: account, messageId: "msg_00000000000000000000000000" },
    ]) {
      expect(await store.getMessage(ref)).toBeUndefined();
      expect(await store.getPayload(ref)).toBeUndefined();
      expect(await store.listAttempts(ref)).toBeUndefined();
    }
  });

  test("an idempotency key converges on one message, also in parallel", async () => {
    const { store, reopen } = await open();
    await makeTarget(store, "t");
    const idempotency = { key: "k", fingerprint: "f" };
    const messages = await Promise.all(
      Array.from({ length: 20 }, () => schedule(store, "t", farFuture, { idempotency })),
    );
    expect(new Set(messages.map((message) => message.messageId)).size).toBe(1);
    expect(await store.counts()).toEqual({ pending: 1 });
    const again = await reopen();
    expect(await schedule(again, "t", farFuture, { idempotency })).toEqual(messages[0]);
  });

  test("a repeat gets the first call's answer, whatever has happened to the message since", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const idempotency = { key: "k", fingerprint: "f" };
    const first = await schedule(store, "t", farFuture, { idempotency });
    await store.cancelMessage({ ...refTo(first), waitMs: 0 });
    expect(await schedule(store, "t", farFuture, { idempotency })).toEqual(first);
  });

  test("a key used for another request is refused, and accounts have separate keys", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await makeTarget(store, "t", { accountId: otherAccount });
    await schedule(store, "t", farFuture, { idempotency: { key: "k", fingerprint: "f" } });
    const request = { targetId: "t", deliveryTime: farFuture, payload: "x", options: null };
    const [reused, foreign] = await store.scheduleMessages([
      { ...request, accountId: account, idempotency: { key: "k", fingerprint: "g" } },
      { ...request, accountId: otherAccount, idempotency: { key: "k", fingerprint: "g" } },
    ]);
    expect(reused).toEqual({ kind: "key-reused" });
    expect(foreign?.kind).toBe("scheduled");
  });

  test("requests of one call that share a key are decided one after the other", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const keyed = (targetId: string, key: string, fingerprint: string): ScheduleRequest => ({
      accountId: account,
      options: null,
      targetId,
      deliveryTime: farFuture,
      payload: fingerprint,
      idempotency: { key, fingerprint },
    });
    for (const round of ["first", "again"]) {
      const results = await store.scheduleMessages([
        keyed("nowhere", "a", "refused"),
        keyed("t", "a", "one"),
        keyed("nowhere", "a", "two"),
        keyed("t", "b", "one"),
        keyed("t", "b", "two"),
        keyed("t", "b", "one"),
        keyed("nowhere", "c", "refused"),
        keyed("nowhere", "c", "refused"),
      ]);
      expect(results.map(({ kind }) => kind)).toEqual([
        ...(round === "first" ? ["no-target", "scheduled"] : ["key-reused", "repeated"]),
        "key-reused",
        round === "first" ? "scheduled" : "repeated",
        "key-reused",
        "repeated",
        "no-target",
        "no-target",
      ]);
    }
    expect(await store.counts()).toEqual({ pending: 2 });
  });

  test("also if all but one are refused, or the limit is near", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    await limitMessages(store, account, 1);
    const keyed = (targetId: string, key: string): ScheduleRequest => ({
      accountId: account,
      options: null,
      targetId,
      deliveryTime: farFuture,
      payload: "",
      idempotency: { key, fingerprint: targetId },
    });
    const results = await store.scheduleMessages([
      keyed("nowhere", "a"),
      keyed("elsewhere", "a"),
      keyed("t", "a"),
      keyed("nowhere", "a"),
      keyed("nowhere", "b"),
      keyed("t", "b"),
    ]);
    expect(results.map(({ kind }) => kind)).toEqual([
      "no-target",
      "no-target",
      "scheduled",
      "key-reused",
      "no-target",
      "over-quota",
    ]);
    await limitMessages(store, account, 2);
    expect((await schedule(store, "t", farFuture, keyed("t", "b"))).state).toBe("SCHEDULED");
    expect(await store.counts()).toEqual({ pending: 2 });
  });

  test("calls with the same keys in any order converge", async () => {
    const { store } = await open();
    await makeTarget(store, "t");
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const calls = await Promise.all(
      keys.slice(0, 8).map((_, shift) =>
        store.scheduleMessages(
          [...keys.slice(shift), ...keys.slice(0, shift)].map((key) => ({
            accountId: account,
            targetId: "t",
            deliveryTime: farFuture,
            payload: key,
            options: null,
            idempotency: { key, fingerprint: key },
          })),
        ),
      ),
    );
    const kinds = calls.flat().map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "scheduled")).toHaveLength(20);
    expect(kinds.filter((kind) => kind === "repeated")).toHaveLength(7 * 20);
    expect(await store.counts()).toEqual({ pending: 20 });
  });

  test("a refused request does not use up its key", async () => {
    const { store } = await open();
    const idempotency = { key: "k", fingerprint: "f" };
    await expect(schedule(store, "t", farFuture, { idempotency })).rejects.toThrow("no-target");
    await makeTarget(store, "t");
    expect((await schedule(store, "t", farFuture, { idempotency })).state).toBe("SCHEDULED");
  });
}
