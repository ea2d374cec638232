import { beforeAll, describe, expect, test } from "vitest";
import { commonService } from "../support/common-service.ts";
import { expectProblems, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import type { ScriptedTarget } from "../support/shared-service.ts";

const service = commonService();
let target: ScriptedTarget;
let good: { readonly targetId: string; readonly deliveryTime: string; readonly payload: string };
beforeAll(async () => {
  target = await service.target();
  good = { targetId: target.targetId, deliveryTime: farAway, payload: "once" };
});

const schedule = (body: object, key: string) =>
  service.api("POST", "/v1/messages", { body, headers: { "idempotency-key": key } });
const scheduleBatch = (messages: readonly object[], headers: Record<string, string> = {}) =>
  service.api("POST", "/v1/messages/batch", { body: { messages }, headers });
async function countOf({ targetId }: ScriptedTarget): Promise<number> {
  const path = `/v1/targets/${targetId}/scheduled-messages?limit=100`;
  return (await service.ok("GET", path)).count;
}
const keyProblem = { code: "E-DI-1001", field: "idempotencyKey" };
const reused = { code: "E-DI-5007", field: "idempotencyKey" };

describe("a message of a batch with a key of its own", () => {
  test("is scheduled once, in whatever batch and place it is repeated", async () => {
    const own = await service.target();
    const item = (idempotencyKey: string) => ({
      ...good,
      targetId: own.targetId,
      payload: idempotencyKey,
      idempotencyKey,
    });
    const first = await scheduleBatch([item("a-1"), item("a-2")]);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    for (const result of first.body.results) expect(Object.keys(result)).toEqual(["message"]);
    const again = await scheduleBatch([item("a-3"), item("a-2"), item("a-1")]);
    expect(again.headers.get("idempotency-replayed")).toBeNull();
    const [one, two] = first.body.results;
    expect(again.body.results).toStrictEqual([
      { message: expect.objectContaining({ state: "SCHEDULED" }) },
      { ...two, replayed: true },
      { ...one, replayed: true },
    ]);
    const whole = await scheduleBatch([item("a-1"), item("a-2")]);
    expect(whole.headers.get("idempotency-replayed")).toBe("true");
    expect(await countOf(own)).toBe(3);
  });

  test.each([{ deliveryTime: farAway }, { delayMs: 3_600_000 }])(
    "is the same call as a single one with that key: %j",
    async (time) => {
      const own = await service.target();
      const body = { targetId: own.targetId, payload: "either way", ...time };
      const key = (name: string) => `${name} of ${own.targetId}`.replaceAll(" ", "-");
      const alone = await schedule(body, key("alone"));
      const { body: later } = await scheduleBatch([{ ...body, idempotencyKey: key("alone") }]);
      expect(later.results).toStrictEqual([{ message: alone.body, replayed: true }]);

      const { body: sooner } = await scheduleBatch([{ ...body, idempotencyKey: key("batch") }]);
      const single = await schedule(body, key("batch"));
      expect(single.headers.get("idempotency-replayed")).toBe("true");
      expect(sooner.results).toStrictEqual([{ message: single.body }]);
      expect(await countOf(own)).toBe(2);
    },
  );

  test("does not clash with the key of a whole batch", async () => {
    const { body: whole } = await scheduleBatch([good], { "idempotency-key": "shared" });
    for (const idempotencyKey of ["shared", "shared/0", "batch:shared/0"]) {
      const { body } = await scheduleBatch([{ ...good, idempotencyKey }]);
      expect(Object.keys(body.results[0])).toEqual(["message"]);
      expect(body.results[0].message.messageId).not.toBe(whole.results[0].message.messageId);
    }
  });

  test("is refused alone if its key was used for another request", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId };
    const { body: alone } = await schedule(item, "reused-alone");
    const { status, body } = await scheduleBatch([
      { ...item, payload: "else", idempotencyKey: "reused-alone" },
      { ...item, idempotencyKey: "reused-alone" },
      item,
    ]);
    expect(status).toBe(200);
    expectProblems(body.results[0].errors, [reused]);
    expect(body.results[1]).toStrictEqual({ message: alone, replayed: true });
    expect(Object.keys(body.results[2])).toEqual(["message"]);
    expect(await countOf(own)).toBe(2);
  });

  test("is one message however often the batch has it, and other requests may not have its key", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId, idempotencyKey: "twins" };
    const { body } = await scheduleBatch([item, { ...item, payload: "else" }, item, item]);
    const [first, other, second, third] = body.results;
    expect(Object.keys(first)).toEqual(["message"]);
    expect([second, third]).toStrictEqual([
      { ...first, replayed: true },
      { ...first, replayed: true },
    ]);
    expectProblems(other.errors, [reused]);
    expect(await countOf(own)).toBe(1);
  });

  test("leaves its key free if it is refused", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId, idempotencyKey: "refused" };
    const nowhere = { ...item, targetId: "nobody" };
    const { body } = await scheduleBatch([nowhere, nowhere, { ...item, deliveryTime: "soon" }]);
    const problems = body.results.map(({ errors }: { errors: { code: string }[] }) =>
      errors.map(({ code }) => code),
    );
    expect(problems).toEqual([["E-DI-3001"], ["E-DI-3001"], ["E-DI-1001"]]);
    const accepted = await scheduleBatch([{ ...item, deliveryTime: "soon" }, item]);
    expect(Object.keys(accepted.body.results[1])).toEqual(["message"]);
    expect(await countOf(own)).toBe(1);
  });

  test("gives one message when all repeats come at once", async () => {
    const own = await service.target();
    const item = { ...good, targetId: own.targetId };
    const keys = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const batches = Array.from({ length: 6 }, (_, shift) =>
      [...keys.slice(shift), ...keys.slice(0, shift)].map((idempotencyKey) => ({
        ...item,
        idempotencyKey,
      })),
    );
    const answers = await Promise.all(batches.map((messages) => scheduleBatch(messages)));
    const ids = new Map<string, Set<string>>();
    for (const [batch, { body }] of answers.entries()) {
      for (const [place, { message }] of body.results.entries()) {
        const { idempotencyKey } = batches[batch]![place]!;
        const known = ids.get(idempotencyKey) ?? new Set();
        ids.set(idempotencyKey, known.add(message.messageId));
      }
    }
    expect([...ids.values()].map(({ size }) => size)).toEqual(keys.map(() => 1));
    expect(await countOf(own)).toBe(20);
  });
});

describe("a key is 1 to 255 visible ASCII characters", () => {
  test("as in the header", async () => {
    const keys = ["a", "!~\"'\\{}", "x".repeat(255)];
    const { body } = await scheduleBatch(keys.map((key) => ({ ...good, idempotencyKey: key })));
    for (const result of body.results) expect(Object.keys(result)).toEqual(["message"]);
  });

  test("and any other refuses its message alone", async () => {
    const before = await countOf(target);
    const bad = ["", "x".repeat(256), "a b", "a\tb", "a\nb", "a\0", "schlüssel", "😀", 5, null, {}];
    const items = bad.map((idempotencyKey) => ({ ...good, idempotencyKey }));
    const { status, body } = await scheduleBatch([...items, { ...good, idempotencyKey: "fine" }]);
    expect(status).toBe(200);
    for (const [place] of bad.entries()) {
      expectProblems(body.results[place].errors, [keyProblem]);
    }
    expect(Object.keys(body.results.at(-1))).toEqual(["message"]);
    expect(await countOf(target)).toBe(before + 1);
  });
});

test.each(["its-own", "", 5])(
  "the key %j of a message and the header together are refused as a whole",
  async (idempotencyKey) => {
    const before = await countOf(target);
    const answer = await scheduleBatch([good, { ...good, idempotencyKey }], {
      "idempotency-key": "of-the-batch",
    });
    expectRefusal(answer, 400, { code: "E-DI-1001", field: "Idempotency-Key" });
    expect(answer.body.errors[0].message).toMatch(/messages\[1\].*Leave out/);
    expect(await countOf(target)).toBe(before);
  },
);

test("a single message has its key in the header", async () => {
  const body = { ...good, idempotencyKey: "in-the-body" };
  const answer = await service.api("POST", "/v1/messages", { body });
  expectRefusal(answer, 400, keyProblem);
  expect(answer.body.errors[0].message).toMatch(/header Idempotency-Key/);
});
