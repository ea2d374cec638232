import { describe, expect, test } from "vitest";
import { anyInstant, expectRefusal } from "../support/expectations.ts";
import { held, status } from "../support/shared-service.ts";
import type { SharedService } from "../support/shared-service.ts";
import { due, inMode, keyedMessages, outcomeOf, replacing } from "./support/keyed-messages.ts";
import { onEachStore } from "./support/on-each-store.ts";

const waitMs = 400;

/** A message with the key "k" whose attempt has reached the target and waits for its answer. */
async function inFlight(service: SharedService) {
  const retryPolicy = { maxAttempts: 5, backoff: { kind: "list", delaysMs: [3_600_000] } };
  const target = await service.target({ retryPolicy });
  const requests = held();
  target.answerWith(requests.answer);
  const calls = keyedMessages(service, target);
  const message = await calls.scheduled({ deliveryTime: due });
  const response = await requests.next();
  return {
    ...calls,
    target,
    message,
    answer: (code: number) => void response.writeHead(code).end(),
  };
}

onEachStore((makeService) => {
  /** Long enough to get every outcome, however busy the machine is. */
  const service = makeService(["--cancel-wait", "60s"]);
  const hurried = makeService(["--cancel-wait", `${waitMs}ms`]);

  describe.each(replacing)("%s while an attempt is in flight", (mode) => {
    test("it delivers → a new message", async () => {
      const { message, schedule, get, answer, payload } = await inFlight(service);
      const call = schedule({ ...inMode(mode), payload: "second" });
      // So that the call is likely to meet the attempt in flight. Its answer is the same otherwise.
      await get(message.messageId);
      answer(204);
      const replaced = await call;
      expect(outcomeOf(replaced)).toBe("created");
      expect(replaced.body.messageId).not.toBe(message.messageId);
      expect((await get(message.messageId)).state).toBe("DELIVERED");
      expect(await payload(message.messageId)).toBe("first");
      expect(await payload(replaced.body.messageId)).toBe("second");
    });

    test("it fails → a new message in its place, and the old one is not attempted again", async () => {
      const { target, message, schedule, get, answer, find, rescheduleByKey } =
        await inFlight(service);
      const call = schedule({ ...inMode(mode), payload: "second" });
      await get(message.messageId);
      target.answerWith(status(204));
      answer(500);
      const replaced = await call;
      expect(outcomeOf(replaced)).toBe(mode === "debounce" ? "debounced" : "replaced");
      expect(await get(message.messageId)).toStrictEqual({
        ...message,
        state: "CANCELLED",
        deliveryFailureCount: 1,
        nextDeliveryTime: null,
        lastDeliveryTime: anyInstant,
        cancellationTime: anyInstant,
        expirationTime: anyInstant,
        cancellationReason: "REPLACED",
      });
      expect((await find("k")).body).toStrictEqual(replaced.body);
      await rescheduleByKey("k", { delayMs: 0 });
      const receipts = await target.received(2);
      expect(receipts.map(({ body }) => String(body))).toEqual(["first", "second"]);
      expect(receipts[1]!.messageId).toBe(replaced.body.messageId);
    });

    test("it is undecided at the bound → E-DI-5006, nothing changed", async () => {
      const { message, schedule, get, answer, payload, pending } = await inFlight(hurried);
      const before = Date.now();
      const refused = await schedule({ ...inMode(mode), payload: "second" });
      expectRefusal(refused, 409, { code: "E-DI-5006", field: "key" });
      expect(Date.now() - before).toBeGreaterThanOrEqual(waitMs);
      expect(await get(message.messageId)).toStrictEqual(message);
      expect(await payload(message.messageId)).toBe("first");
      expect(await pending()).toStrictEqual([message]);
      answer(204);
      await hurried.reaches(message.messageId, "DELIVERED");
    });
  });

  test("the items of a batch wait too, and those undecided at the bound are refused alone", async () => {
    const { message, batch, answer, pending } = await inFlight(hurried);
    const { status: code, body } = await batch([
      { onConflict: "replace" },
      { onConflict: "keep" },
      {},
      { key: "free" },
    ]);
    expect(code).toBe(200);
    const [replace, keep, reject, free] = body.results;
    expect(replace.errors).toMatchObject([{ code: "E-DI-5006", field: "key" }]);
    expect(keep).toStrictEqual({ message, keyOutcome: "kept" });
    expect(reject.errors).toMatchObject([{ code: "E-DI-5008", field: "key" }]);
    expect(free.keyOutcome).toBe("created");
    expect(await pending()).toHaveLength(2);
    answer(204);
    await hurried.reaches(message.messageId, "DELIVERED");
  });

  test("reject and keep do not wait", async () => {
    const { message, schedule, answer } = await inFlight(service);
    expectRefusal(await schedule(), 409, { code: "E-DI-5008", field: "key" });
    const kept = await schedule({ onConflict: "keep" });
    expect(outcomeOf(kept)).toBe("kept");
    expect(kept.body).toStrictEqual(message);
    answer(204);
  });

  test("a call that was refused at the bound leaves its Idempotency-Key free", async () => {
    const { target, message, schedule, answer } = await inFlight(hurried);
    const call = { headers: { "idempotency-key": `${target.targetId}-again` } };
    const body = { onConflict: "replace", payload: "second" };
    expectRefusal(await schedule(body, call), 409, { code: "E-DI-5006", field: "key" });
    answer(204);
    await hurried.reaches(message.messageId, "DELIVERED");
    const again = await schedule(body, call);
    expect(outcomeOf(again)).toBe("created");
    expect(again.headers.get("idempotency-replayed")).toBeNull();
  });
});
