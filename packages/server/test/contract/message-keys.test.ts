import { describe, expect, test } from "vitest";
import {
  anyInstant,
  expectMessage,
  expectProblems,
  expectRefusal,
} from "../support/expectations.ts";
import { farAway, status } from "../support/shared-service.ts";
import {
  due,
  inMode,
  keyedMessages,
  outcomeOf,
  quiet,
  replacing,
  sooner,
} from "./support/keyed-messages.ts";
import { onEachStore } from "./support/on-each-store.ts";

const hour = 3_600_000;
const instant = (time: string): number => Date.parse(time);

onEachStore((makeService) => {
  const service = makeService();

  async function withTarget(settings: object = {}) {
    const target = await service.target({ ...settings });
    return { target, ...keyedMessages(service, target) };
  }

  /** A message whose first attempt has failed, and that waits an hour for the next. */
  async function attempted() {
    const retryPolicy = { maxAttempts: 5, backoff: { kind: "list", delaysMs: [hour] } };
    const made = await withTarget({ retryPolicy });
    made.target.answerWith(status(500));
    const { messageId } = await made.scheduled({ deliveryTime: due });
    await made.target.received(1);
    const isRecorded = async (): Promise<boolean> =>
      (await made.get(messageId)).deliveryFailureCount === 1;
    while (!(await isRecorded()));
    return { ...made, old: await made.get(messageId) };
  }

  test("a message shows its key, and one without a key has no outcome", async () => {
    const { schedule } = await withTarget();
    const created = await schedule();
    expect(outcomeOf(created)).toBe("created");
    expectMessage(created.body, {
      key: "k",
      originalDeliveryTime: farAway,
      nextDeliveryTime: farAway,
      state: "SCHEDULED",
    });
    const plain = await schedule({ key: undefined });
    expect(outcomeOf(plain)).toBeNull();
    expect(plain.body).not.toHaveProperty("key");
  });

  describe("while one is pending", () => {
    test.each([{}, { onConflict: "reject" }])("%j: 409 that names the holder", async (mode) => {
      const { schedule, scheduled, get, payload } = await withTarget();
      const first = await scheduled();
      const answer = await schedule({ ...mode, payload: "second" });
      expectRefusal(answer, 409, { code: "E-DI-5008", field: "key" });
      expect(answer.body.errors[0].message).toContain(first.messageId);
      expect(answer.headers.get("postdate-key-outcome")).toBeNull();
      expect(await get(first.messageId)).toStrictEqual(first);
      expect(await payload(first.messageId)).toBe("first");
    });

    test("keep: 200 with the holder, unchanged", async () => {
      const { schedule, scheduled, payload, pending } = await withTarget();
      const first = await scheduled({ labels: { a: "1" } });
      const kept = await schedule({ onConflict: "keep", payload: "second", deliveryTime: sooner });
      expect(outcomeOf(kept)).toBe("kept");
      expect(kept.body).toStrictEqual(first);
      expect(await payload(first.messageId)).toBe("first");
      expect(await pending()).toStrictEqual([first]);
    });

    test("replace: payload, time and options are the new ones, under the same id", async () => {
      const { schedule, scheduled, get, payload } = await withTarget();
      const first = await scheduled({ labels: { a: "1" }, timeoutMs: 500 });
      const change = { payload: "second", deliveryTime: sooner, labels: { b: "2" } };
      const replaced = await schedule({ onConflict: "replace", ...change });
      expect(outcomeOf(replaced)).toBe("replaced");
      const { timeoutMs: _, ...rest } = first;
      const times = { originalDeliveryTime: sooner, nextDeliveryTime: sooner };
      expect(replaced.body).toStrictEqual({ ...rest, ...times, labels: { b: "2" } });
      expect(await get(first.messageId)).toStrictEqual(replaced.body);
      expect(await payload(first.messageId)).toBe("second");
    });

    test("replaceKeepTime: payload and options are new, the time stays", async () => {
      const { schedule, scheduled, payload } = await withTarget();
      const first = await scheduled({ labels: { a: "1" } });
      const change = { payload: "second", deliveryTime: sooner, labels: { b: "2" } };
      const replaced = await schedule({ onConflict: "replaceKeepTime", ...change });
      expect(outcomeOf(replaced)).toBe("replaced");
      expect(replaced.body).toStrictEqual({ ...first, labels: { b: "2" } });
      expect(await payload(first.messageId)).toBe("second");
    });

    test("replaceKeepTime keeps a time that a reschedule has set", async () => {
      const { schedule, scheduled, reschedule } = await withTarget();
      const first = await scheduled();
      await reschedule(first.messageId, { deliveryTime: sooner });
      const { body } = await schedule({ onConflict: "replaceKeepTime", payload: "second" });
      expect(body).toStrictEqual({ ...first, nextDeliveryTime: sooner });
    });

    test("debounce: due after the quiet time, counted anew, and at the latest after maxWaitMs", async () => {
      const { schedule, payload } = await withTarget();
      const first = await schedule(quiet);
      expect(outcomeOf(first)).toBe("created");
      const { messageId, schedulingTime } = first.body;
      const afterFirst = (message: { readonly nextDeliveryTime: string }): number =>
        instant(message.nextDeliveryTime) - instant(schedulingTime);
      expect(afterFirst(first.body)).toBe(hour);
      const second = await schedule({ ...quiet, payload: "second" });
      expect(outcomeOf(second)).toBe("debounced");
      expect(second.body).toMatchObject({ messageId, schedulingTime });
      expect(afterFirst(second.body)).toBeGreaterThanOrEqual(hour);
      const debounce = { quietMs: 5 * hour, maxWaitMs: 6 * hour };
      const third = await schedule({ ...quiet, debounce, payload: "third" });
      expect(afterFirst(third.body)).toBeGreaterThanOrEqual(5 * hour);
      // Ten milliseconds have passed since the first, or soon will have: it is due at once.
      const last = await schedule({ ...quiet, debounce: { quietMs: 1 }, payload: "last" });
      expect(afterFirst(last.body)).toBeLessThan(5 * hour);
      await service.reaches(messageId, "DELIVERED");
      expect(await payload(messageId)).toBe("last");
    });

    test("debounce moves no further than the limit", async () => {
      const { schedule } = await withTarget();
      const { body: first } = await schedule(quiet);
      const debounce = { quietMs: hour, maxWaitMs: hour };
      const { body } = await schedule({ ...quiet, debounce, payload: "second" });
      expect(body).toStrictEqual(first);
    });

    test.each(replacing)(
      "%s delivers the new payload once, under the id of the old",
      async (mode) => {
        const { target, schedule, scheduled, rescheduleByKey } = await withTarget();
        const { messageId } = await scheduled();
        await schedule({ ...inMode(mode), payload: "second", headers: { "x-own": mode } });
        expect((await rescheduleByKey("k", { delayMs: 0 })).status).toBe(200);
        const [receipt] = await target.received(1);
        expect(receipt).toMatchObject({ messageId, attempt: 1 });
        expect(String(receipt!.body)).toBe("second");
        expect(receipt!.headers["x-own"]).toBe(mode);
      },
    );
  });

  describe("already attempted", () => {
    test.each(replacing)("%s makes a new message and cancels the old one", async (mode) => {
      const { old, schedule, get, payload, find } = await attempted();
      const answer = await schedule({ ...inMode(mode), payload: "second" });
      expect(outcomeOf(answer)).toBe(mode === "debounce" ? "debounced" : "replaced");
      expect(answer.body.messageId).not.toBe(old.messageId);
      expect(answer.body).toMatchObject({ state: "SCHEDULED", deliveryFailureCount: 0 });
      if (mode === "replaceKeepTime") {
        expect(answer.body.nextDeliveryTime).toBe(old.nextDeliveryTime);
      }
      expect(await get(old.messageId)).toStrictEqual({
        ...old,
        state: "CANCELLED",
        nextDeliveryTime: null,
        cancellationTime: anyInstant,
        expirationTime: anyInstant,
        cancellationReason: "REPLACED",
      });
      expect((await find("k")).body).toStrictEqual(answer.body);
      expect(await payload(old.messageId)).toBe("first");
      expect(await payload(answer.body.messageId)).toBe("second");
    });

    test("reject and keep leave it as it is", async () => {
      const { old, schedule, get } = await attempted();
      expectRefusal(await schedule(), 409, { code: "E-DI-5008", field: "key" });
      expect((await schedule({ onConflict: "keep" })).body).toStrictEqual(old);
      expect(await get(old.messageId)).toStrictEqual(old);
    });

    test("a caller's own cancel has no reason", async () => {
      const { old, cancel } = await attempted();
      expect(await cancel(old.messageId)).not.toHaveProperty("cancellationReason");
    });
  });

  describe("in a batch", () => {
    test("each item has its outcome, in order, and a refused one stops no other", async () => {
      const { batch, pending, payload } = await withTarget();
      const { body } = await batch([
        { payload: "1" },
        { payload: "2", onConflict: "replace" },
        { payload: "3", onConflict: "keep" },
        { payload: "4" },
        { payload: "5", ...quiet },
        { payload: "6", key: "other" },
        { payload: "7", key: undefined },
        { payload: "8", key: "" },
      ]);
      const outcomes = body.results.map(
        (result: { keyOutcome?: string; errors?: { code: string }[] }) =>
          result.keyOutcome ?? result.errors?.[0]?.code ?? "plain",
      );
      expect(outcomes).toEqual([
        ...["created", "replaced", "kept", "E-DI-5008", "debounced", "created", "plain"],
        "E-DI-1001",
      ]);
      const [first, , , refused, last] = body.results;
      expectProblems(refused.errors, [{ code: "E-DI-5008", field: "key" }]);
      expect(refused.errors[0].message).toContain(first.message.messageId);
      expect(last.message.messageId).toBe(first.message.messageId);
      expect(await payload(first.message.messageId)).toBe("5");
      expect(await pending()).toHaveLength(3);
    });

    test("a whole repeated batch gets its first answer", async () => {
      const { batch, pending } = await withTarget();
      const items = [{}, { onConflict: "replace" }, { onConflict: "keep" }, quiet];
      const headers = { "idempotency-key": `batch-of-${Math.random()}` };
      const first = await batch(items, { headers });
      const again = await batch(items, { headers });
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(again.body).toStrictEqual(first.body);
      expect(await pending()).toHaveLength(1);
    });
  });

  describe("a repeated Idempotency-Key wins over the conflict rule", () => {
    test.each(["reject", "keep", ...replacing])("%s", async (mode) => {
      const { target, schedule, scheduled, payload } = await withTarget();
      const call = { headers: { "idempotency-key": `${target.targetId}-${mode}` } };
      if (mode !== "reject") await scheduled();
      const first = await schedule({ ...inMode(mode), payload: "once" }, call);
      const last = await scheduled({ onConflict: "replace", payload: "last" });
      const again = await schedule({ ...inMode(mode), payload: "once" }, call);
      expect(again.headers.get("idempotency-replayed")).toBe("true");
      expect(outcomeOf(again)).toBe(outcomeOf(first));
      expect(again.body).toStrictEqual(first.body);
      expect(await payload(last.messageId)).toBe("last");
    });

    test("a refused call leaves it free", async () => {
      const { target, schedule, scheduled, cancel } = await withTarget();
      const { messageId } = await scheduled();
      const call = { headers: { "idempotency-key": `${target.targetId}-refused` } };
      expectRefusal(await schedule({}, call), 409, { code: "E-DI-5008", field: "key" });
      await cancel(messageId);
      expect(outcomeOf(await schedule({}, call))).toBe("created");
    });

    test("the mode and the key are part of the request", async () => {
      const { target, schedule } = await withTarget();
      const call = { headers: { "idempotency-key": `${target.targetId}-same` } };
      await schedule({}, call);
      for (const other of [{ onConflict: "keep" }, { key: "other" }, { key: undefined }]) {
        const answer = await schedule(other, call);
        expectRefusal(answer, 422, { code: "E-DI-5007", field: "Idempotency-Key" });
      }
    });
  });

  test("kept does not count against the quota, every replacement does", async () => {
    const account = await service.account({ monthlyMessageLimit: 3 });
    const url = service.receiver.url;
    await account.ok("POST", "/v1/targets", { targetId: "t", url });
    const own = keyedMessages(
      {
        ...service,
        api: (method, path, call) => service.api(method, path, { key: account.key, ...call }),
      },
      { targetId: "t" } as never,
    );
    const used = async (): Promise<number> => (await account.ok("GET", "/v1/usage")).used;
    expect(outcomeOf(await own.schedule())).toBe("created");
    expect(outcomeOf(await own.schedule({ onConflict: "keep" }))).toBe("kept");
    expect(await used()).toBe(1);
    expectRefusal(await own.schedule(), 409, { code: "E-DI-5008", field: "key" });
    expect(await used()).toBe(1);
    expect(outcomeOf(await own.schedule({ onConflict: "replace" }))).toBe("replaced");
    expect(outcomeOf(await own.schedule(quiet))).toBe("debounced");
    expect(await used()).toBe(3);
    const over = await own.schedule({ onConflict: "replace", payload: "too much" });
    expect(over.body.errors).toMatchObject([{ code: "E-DI-5005" }]);
    expect(outcomeOf(await own.schedule({ onConflict: "keep" }))).toBe("kept");
    expect(await used()).toBe(3);
  });

  test("keys of other targets and accounts are others", async () => {
    const one = await withTarget();
    const other = await withTarget();
    expect(outcomeOf(await one.schedule())).toBe("created");
    expect(outcomeOf(await other.schedule())).toBe("created");
    expect(outcomeOf(await one.schedule({ key: "K" }))).toBe("created");
  });

  describe("a key is free again when its message", () => {
    test("is delivered", async () => {
      const { scheduled, schedule, find } = await withTarget();
      const { messageId } = await scheduled({ deliveryTime: due });
      await service.reaches(messageId, "DELIVERED");
      expect((await find("k")).status).toBe(404);
      expect(outcomeOf(await schedule())).toBe("created");
    });

    test("dies", async () => {
      const { target, scheduled, schedule } = await withTarget();
      target.answerWith(status(410));
      const { messageId } = await scheduled({ deliveryTime: due });
      await service.reaches(messageId, "DEAD_LETTER");
      expect(outcomeOf(await schedule())).toBe("created");
    });

    test("is cancelled", async () => {
      const { scheduled, schedule, cancel } = await withTarget();
      await cancel((await scheduled()).messageId);
      expect(outcomeOf(await schedule())).toBe("created");
    });
  });

  test("an ended message is not rescheduled while another has its key", async () => {
    const { scheduled, cancel, get, reschedule } = await withTarget();
    const old = await cancel((await scheduled()).messageId);
    const next = await scheduled();
    const refused = await reschedule(old.messageId);
    expectRefusal(refused, 409, { code: "E-DI-5008", field: "key" });
    expect(refused.body.errors[0].message).toContain(next.messageId);
    expect(await get(old.messageId)).toStrictEqual(old);
    await cancel(next.messageId);
    expect((await reschedule(old.messageId)).status).toBe(200);
    expectRefusal(await reschedule(next.messageId), 409, { code: "E-DI-5008", field: "key" });
  });
});
