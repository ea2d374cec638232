import { expect, test } from "vitest";
import { expectProblems, expectRefusal } from "../support/expectations.ts";
import { farAway } from "../support/shared-service.ts";
import { keyedMessages, outcomeOf, quiet } from "./support/keyed-messages.ts";
import { onEachStore } from "./support/on-each-store.ts";

const week = 604_800_000;
const debounced = (debounce: unknown): object => ({ onConflict: "debounce", debounce });

/** Fields beside a target and a payload, and the fields that the answer names. */
const refused: Readonly<Record<string, readonly [given: object, ...fields: string[]]>> = {
  "an empty key": [{ key: "" }, "key"],
  "a key of 201 characters": [{ key: "x".repeat(201) }, "key"],
  "a key with a NUL": [{ key: "a\0b" }, "key"],
  "a key with a line break": [{ key: "a\nb" }, "key"],
  "a key with DEL": [{ key: "a\u007f" }, "key"],
  "a key with a C1 control character": [{ key: "a\u0085" }, "key"],
  "a key with half of a surrogate pair": [{ key: "a\ud800" }, "key"],
  "a key that is no text": [{ key: 5 }, "key"],
  "a key that is null": [{ key: null }, "key"],
  "onConflict without a key": [{ key: undefined, onConflict: "replace" }, "onConflict"],
  "an unknown onConflict": [{ onConflict: "ignore" }, "onConflict"],
  "onConflict debounce without debounce": [{ onConflict: "debounce" }, "debounce"],
  "neither debounce nor a time": [{ onConflict: "debounce", deliveryTime: undefined }, "debounce"],
  "no time at all": [{ deliveryTime: undefined }, "deliveryTime"],
  "debounce without onConflict": [{ debounce: { quietMs: 5 } }, "debounce"],
  "debounce with another onConflict": [
    { onConflict: "replace", debounce: { quietMs: 5 } },
    "debounce",
  ],
  "debounce without a key": [{ key: undefined, ...quiet }, "onConflict", "debounce"],
  "a time beside debounce": [{ ...quiet, deliveryTime: farAway }, "deliveryTime"],
  "a delay beside debounce": [{ ...quiet, delayMs: 5 }, "delayMs"],
  "both beside debounce": [
    { ...quiet, deliveryTime: farAway, delayMs: 5 },
    "deliveryTime",
    "delayMs",
  ],
  "maxWaitMs below quietMs": [debounced({ quietMs: 10, maxWaitMs: 9 }), "debounce.maxWaitMs"],
  "no quietMs": [debounced({ maxWaitMs: 9 }), "debounce.quietMs"],
  "quietMs 0": [debounced({ quietMs: 0 }), "debounce.quietMs"],
  "quietMs above a week": [debounced({ quietMs: week + 1 }), "debounce.quietMs"],
  "half a millisecond": [debounced({ quietMs: 1.5 }), "debounce.quietMs"],
  "quietMs as text": [debounced({ quietMs: "5" }), "debounce.quietMs"],
  "an unknown field of debounce": [debounced({ quietMs: 5, more: 1 }), "debounce.more"],
  "debounce that is no object": [debounced(5), "debounce"],
};

const accepted: Readonly<Record<string, object>> = {
  "a key of 1 character": { key: "a" },
  "a key of 200 characters": { key: "😀".repeat(200) },
  "quietMs 1": debounced({ quietMs: 1, maxWaitMs: 1 }),
  "quietMs of a week, and ten times that by default": debounced({ quietMs: week }),
  "maxWaitMs of ten weeks": debounced({ quietMs: 1_000, maxWaitMs: 10 * week }),
};

onEachStore((makeService) => {
  const service = makeService();

  test.each(Object.entries(refused))("%s is refused", async (_, [given, ...fields]) => {
    const { schedule, batch, pending } = keyedMessages(service, await service.target());
    const problems = fields.map((field) => ({ code: "E-DI-1001", field }));
    expectRefusal(await schedule(given), 400, ...problems);
    const { status, body } = await batch([given, { key: "good" }]);
    expect(status).toBe(200);
    expectProblems(body.results[0].errors, problems);
    expect(body.results[1].keyOutcome).toBe("created");
    expect(await pending()).toHaveLength(1);
  });

  test.each(Object.entries(accepted))("%s is accepted", async (_, given) => {
    const { schedule } = keyedMessages(service, await service.target());
    expect(outcomeOf(await schedule(given))).toBe("created");
  });
});
