import { describe, expect, test } from "vitest";
import { expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";
import { jobCalls } from "./support/jobs.ts";
import { onEachStore } from "./support/on-each-store.ts";

/** What replaces parts of a cancel for a target, and the fields that the answer names. */
type Case = readonly [change: object, ...fields: string[]];

const inFilter = (filter: unknown): object => ({ filter });
const shift = { action: "shift", byMs: 1_000 };
const centuries = 31_622_400_000_000;

const refused: Readonly<Record<string, Case>> = {
  "no action": [{ action: undefined }, "action"],
  "an unknown action": [{ action: "remove" }, "action"],
  "an action that is no text": [{ action: 5 }, "action"],
  "no filter": [{ filter: undefined }, "filter"],
  "a filter that is a list": [inFilter([]), "filter"],
  "an empty filter": [inFilter({}), "filter.targetId"],
  "a filter with times alone": [inFilter({ minTime: farAway }), "filter.targetId"],
  "a filter with no label": [inFilter({ labels: {} }), "filter.targetId"],
  "a target that is no text": [inFilter({ targetId: 5 }), "filter.targetId"],
  "an id that no schedule can have": [inFilter({ scheduleId: "a b" }), "filter.scheduleId"],
  "a schedule that is no text": [inFilter({ scheduleId: 5 }), "filter.scheduleId"],
  "an unknown field of the filter": [inFilter({ labels: { a: "b" }, state: "x" }), "filter.state"],
  "an unknown field": [{ until: farAway }, "until"],
  "a label's name in upper case": [inFilter({ labels: { Order: "1" } }), "filter.labels.Order"],
  "a label's name with a colon": [inFilter({ labels: { "a:b": "1" } }), "filter.labels.a:b"],
  "an empty value of a label": [inFilter({ labels: { a: "" } }), "filter.labels.a"],
  "a value of 101 characters": [inFilter({ labels: { a: "x".repeat(101) } }), "filter.labels.a"],
  "a value with a NUL": [inFilter({ labels: { a: "x\0" } }), "filter.labels.a"],
  "a value with half of a surrogate pair": [
    inFilter({ labels: { a: "x\ud800" } }),
    "filter.labels.a",
  ],
  "nine labels": [
    inFilter({ labels: Object.fromEntries([..."abcdefghi"].map((name) => [name, "1"])) }),
    "filter.labels",
  ],
  "an empty prefix": [inFilter({ labels: { a: "b" }, keyPrefix: "" }), "filter.keyPrefix"],
  "a prefix of 201 characters": [
    inFilter({ labels: { a: "b" }, keyPrefix: "x".repeat(201) }),
    "filter.keyPrefix",
  ],
  "a prefix with a NUL": [inFilter({ labels: { a: "b" }, keyPrefix: "\0" }), "filter.keyPrefix"],
  "a prefix with a C1 control character": [
    inFilter({ labels: { a: "b" }, keyPrefix: "\u0085" }),
    "filter.keyPrefix",
  ],
  "a prefix with half of a surrogate pair": [
    inFilter({ labels: { a: "b" }, keyPrefix: "\udc00" }),
    "filter.keyPrefix",
  ],
  "a time without an offset": [
    inFilter({ labels: { a: "b" }, minTime: "2026-01-01T00:00:00" }),
    "filter.minTime",
  ],
  "a day that does not exist": [
    inFilter({ labels: { a: "b" }, maxTime: "2026-02-30T00:00:00Z" }),
    "filter.maxTime",
  ],
  "minTime after maxTime": [
    inFilter({ labels: { a: "b" }, minTime: farAway, maxTime: "2026-01-01T00:00:00Z" }),
    "filter.minTime",
  ],
  "a reason of dead letters in a cancel": [
    inFilter({ labels: { a: "b" }, deadLetterReason: "NOT_AFTER" }),
    "filter.deadLetterReason",
  ],
  "an unknown reason": [
    { action: "redrive", ...inFilter({ labels: { a: "b" }, deadLetterReason: "TIRED" }) },
    "filter.deadLetterReason",
  ],
  "a status in a shift": [
    { ...shift, ...inFilter({ labels: { a: "b" }, lastStatusCode: 500 }) },
    "filter.lastStatusCode",
  ],
  "the status 99": [
    { action: "redrive", ...inFilter({ labels: { a: "b" }, lastStatusCode: 99 }) },
    "filter.lastStatusCode",
  ],
  "a reschedule without a time": [{ action: "reschedule" }, "deliveryTime"],
  "a reschedule to no time": [{ action: "reschedule", deliveryTime: "soon" }, "deliveryTime"],
  "a reschedule to null": [{ action: "reschedule", deliveryTime: null }, "deliveryTime"],
  "a cancel with a time": [{ deliveryTime: farAway }, "deliveryTime"],
  "a shift with a time": [{ ...shift, deliveryTime: farAway }, "deliveryTime"],
  "a shift without a distance": [{ action: "shift" }, "byMs"],
  "a shift by 0": [{ action: "shift", byMs: 0 }, "byMs"],
  "a shift by half a millisecond": [{ action: "shift", byMs: 0.5 }, "byMs"],
  "a shift by more than a thousand years": [{ action: "shift", byMs: centuries + 1 }, "byMs"],
  "a shift back by more": [{ action: "shift", byMs: -centuries - 1 }, "byMs"],
  "a shift by 1e300": [{ action: "shift", byMs: 1e300 }, "byMs"],
  "a redrive with a distance": [{ action: "redrive", byMs: 5 }, "byMs"],
  "failures in a cancel": [{ stopAfterFailures: 5 }, "stopAfterFailures"],
  "no failure at all": [{ action: "redrive", stopAfterFailures: 0 }, "stopAfterFailures"],
  "a rate of 0": [{ ratePerSecond: 0 }, "ratePerSecond"],
  "a rate above 10,000": [{ ratePerSecond: 10_001 }, "ratePerSecond"],
  "a rate as text": [{ ratePerSecond: "5" }, "ratePerSecond"],
  "no message at most": [{ maxMessages: 0 }, "maxMessages"],
  "an empty note": [{ note: "" }, "note"],
  "a note of 501 characters": [{ note: "x".repeat(501) }, "note"],
  "a note with a line break": [{ note: "a\nb" }, "note"],
  "dryRun as text": [{ dryRun: "true" }, "dryRun"],
  "removesTarget, which is no caller's choice": [{ removesTarget: true }, "removesTarget"],
  "many problems at once": [
    {
      ...{ action: "redrive", deliveryTime: farAway, byMs: 0, ratePerSecond: 0, note: "" },
      ...inFilter({ minTime: "soon", labels: { A: "b" }, keyPrefix: "", more: 1 }),
    },
    ...["deliveryTime", "byMs", "ratePerSecond", "note"],
    ...["filter.minTime", "filter.labels.A", "filter.keyPrefix", "filter.more"],
  ],
};

const accepted: Readonly<Record<string, object>> = {
  "a label of 100 characters": inFilter({ labels: { a: "😀".repeat(100) } }),
  "a prefix of 200 characters": inFilter({ labels: { a: "b" }, keyPrefix: "😀".repeat(200) }),
  "a prefix of wildcards": inFilter({ labels: { a: "b" }, keyPrefix: "%_\\" }),
  "times in any offset": inFilter({
    labels: { a: "b" },
    minTime: "2026-01-01T02:00:00+02:00",
    maxTime: "2026-01-01T00:00:00Z",
  }),
  "a shift by a thousand years": { action: "shift", byMs: centuries },
  "a shift back by as much": { action: "shift", byMs: -centuries },
  "a reschedule to the past": { action: "reschedule", deliveryTime: "1999-01-01T00:00:00Z" },
  "the slowest rate": { ratePerSecond: 1 },
  "the fastest rate": { ratePerSecond: 10_000 },
  "a note of 500 characters": { note: "😀".repeat(500) },
};

onEachStore((makeService) => {
  const service = makeService();
  const jobs = jobCalls(service);
  const orderFor = (target: ScriptedTarget, change: object): object => ({
    ...{ action: "cancel", filter: { targetId: target.targetId } },
    ...change,
  });

  test.each(Object.entries(refused))("%s is refused", async (_, [change, ...fields]) => {
    const target = await service.target();
    const [message] = await jobs.scheduled(target.targetId, 1, () => ({ labels: { a: "b" } }));
    const before = await service.ok("GET", "/v1/jobs");
    const order = orderFor(target, change);
    const problems = fields.map((field) => ({ code: "E-DI-1001", field }));
    expectRefusal(await jobs.post(order), 400, ...problems);
    expectRefusal(await jobs.post({ dryRun: true, ...order }), 400, ...problems);
    expect(await jobs.now([message])).toEqual([message]);
    expect(await service.ok("GET", "/v1/jobs")).toEqual(before);
  });

  describe("what is accepted", () => {
    test.each(Object.entries(accepted))("%s", async (_, change) => {
      const target = await service.target();
      const order = orderFor(target, change);
      expect(await jobs.preview(order)).toEqual({
        ...{ count: 0, exact: true, sample: [], nextPageToken: null },
      });
      expect(await jobs.done(order)).toMatchObject({ matched: 0, done: 0 });
    });
  });

  test("an unknown target is refused, together with whatever else is wrong", async () => {
    const order = { action: "cancel", filter: { targetId: "nobody" } };
    const unknown = { code: "E-DI-3001", field: "filter.targetId" };
    expectRefusal(await jobs.post(order), 400, unknown);
    expectRefusal(await jobs.post({ ...order, dryRun: true }), 400, unknown);
    const more = { ...order, byMs: 5, ratePerSecond: 0 };
    const others = ["byMs", "ratePerSecond"].map((field) => ({ code: "E-DI-1001", field }));
    expectRefusal(await jobs.post(more), 400, ...others, unknown);
    for (const targetId of ["", "a b", "a\0", "x".repeat(65), "../x", "\ud800"]) {
      const answer = await jobs.post({ ...order, filter: { targetId } });
      expect(answer.status, answer.text).toBe(400);
      for (const { field } of answer.body.errors) expect(field).toBe("filter.targetId");
    }
  });

  test("a redrive by path takes the same fields, but no target", async () => {
    const { targetId } = await service.target();
    const before = await service.ok("GET", "/v1/jobs");
    const post = (body: unknown, path = targetId) =>
      service.api("POST", `/v1/targets/${path}/dead-letters/redrive`, { body });
    const invalid = (...fields: string[]) => fields.map((field) => ({ code: "E-DI-1001", field }));
    expectRefusal(await post({ filter: { targetId } }), 400, ...invalid("filter.targetId"));
    expectRefusal(await post({ action: "cancel" }), 400, ...invalid("action"));
    expectRefusal(await post({ byMs: 5, note: "" }), 400, ...invalid("byMs", "note"));
    const span = { minTime: farAway, maxTime: "2026-01-01T00:00:00Z" };
    expectRefusal(await post({ filter: span }), 400, ...invalid("filter.minTime"));
    expectRefusal(await post({}, "nobody"), 404, { code: "E-DI-3004" });
    expectRefusal(await post({ dryRun: true }, "nobody"), 404, { code: "E-DI-3004" });
    expectRefusal(await post({}, "a%20b"), 404, { code: "E-DI-3004" });
    expect(await service.ok("GET", "/v1/jobs")).toEqual(before);
  });

  test("a token is one of a count of the same", async () => {
    const { targetId } = await service.target();
    const path = `/v1/targets/${targetId}/dead-letters/redrive`;
    const order = { action: "cancel", filter: { targetId } };
    const bad = { code: "E-DI-1002", field: "pageToken" };
    for (const pageToken of ["", "abc", "a\0", "x".repeat(5_000)]) {
      expectRefusal(await jobs.post({ ...order, dryRun: true, pageToken }), 400, bad);
      expectRefusal(
        await service.api("POST", path, { body: { dryRun: true, pageToken } }),
        400,
        bad,
      );
    }
    const noCount = { code: "E-DI-1001", field: "pageToken" };
    expectRefusal(await jobs.post({ ...order, pageToken: "abc" }), 400, noCount);
    expectRefusal(await service.api("POST", path, { body: { pageToken: "abc" } }), 400, noCount);
  });

  test("an idempotency key must be visible ASCII", async () => {
    const { targetId } = await service.target();
    const order = { action: "cancel", filter: { targetId } };
    const badKey = { code: "E-DI-1001", field: "Idempotency-Key" };
    expectRefusal(await jobs.post(order, { "idempotency-key": "a b" }), 400, badKey);
    const both = await jobs.post({ ...order, byMs: 1 }, { "idempotency-key": "x".repeat(256) });
    expectRefusal(both, 400, badKey, { code: "E-DI-1001", field: "byMs" });
  });

  test.each([{}, { ratePerSecond: 0 }, { ratePerSecond: 10_001 }, { ratePerSecond: 5, note: "x" }])(
    "a change to %j is refused",
    async (body) => {
      const answer = await service.api("PATCH", "/v1/jobs/job_01k9xvq8c7e4nv3q0t2m5r8w1z", {
        body,
      });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.body.errors[0].field).toBe("note" in body ? "note" : "ratePerSecond");
    },
  );

  test("a removal with anything but messages=cancel is refused", async () => {
    const { targetId } = await service.target();
    for (const query of ["messages=", "messages=keep", "messages=cancel&messages=cancel"]) {
      const answer = await service.api("DELETE", `/v1/targets/${targetId}?${query}`);
      expectRefusal(answer, 400, { code: "E-DI-1001", field: "messages" });
    }
    const misplaced = { body: { messages: "cancel" } };
    const path = `/v1/targets/${targetId}?messages=cancel`;
    const inBoth = await service.api("DELETE", path, misplaced);
    expectRefusal(inBoth, 400, { code: "E-DI-1001", field: "messages" });
    expect(inBoth.body.errors[0].message).not.toContain("parameter");
    const twoFaults = await service.api("DELETE", `${path}&other=1`, misplaced);
    const fields = twoFaults.body.errors.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(["messages", "other"]);
    const unknown = await service.api("DELETE", "/v1/targets/nobody?messages=cancel");
    expectRefusal(unknown, 404, { code: "E-DI-3004" });
    await service.ok("GET", `/v1/targets/${targetId}`);
  });
});
