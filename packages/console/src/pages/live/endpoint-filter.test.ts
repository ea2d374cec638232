import type { EventEndpoint } from "@postdate/client";
import { expect, test } from "vitest";
import { filterWords, widest } from "./endpoint-filter.ts";

type Filter = Pick<EventEndpoint, "types" | "targetIds" | "labels">;

const none: Filter = { types: null, targetIds: null, labels: null };
const everything: Filter["types"] = ["message.*", "target.*", "schedule.*", "job.*", "endpoint.*"];

test.each<readonly [Partial<Filter>, string]>([
  [{}, "all types but message.scheduled and message.attempt_failed"],
  [{ types: everything }, "all types"],
  [{ types: ["message.*", "job.ended"] }, "message.* and job.ended"],
  [{ types: ["message.delivered"], targetIds: ["mail"] }, "message.delivered of the target mail"],
  [
    { types: everything, targetIds: ["a", "b", "c", "d", "e", "f", "g"] },
    "all types of the targets a, b, c, d, e and 2 more",
  ],
  [
    { types: ["message.*"], labels: { order: "17", who: "\u202e" } },
    "message.* of messages with the labels order=17 and who=\\u202e",
  ],
])("what an endpoint gets is said in words: %o", (filter, words) => {
  expect(filterWords({ ...none, ...filter })).toBe(words);
});

test("the widest endpoint has the fewest conditions, then the most types", () => {
  const oneType: Filter = { ...none, types: ["job.ended"] };
  const all: Filter = { ...none, types: everything };
  const ofOne: Filter = { ...all, targetIds: ["mail"] };
  const ofTwo: Filter = { ...all, targetIds: ["mail", "billing"] };
  const narrow: Filter = { ...ofTwo, labels: { order: "17" } };
  expect(widest([narrow, ofOne, oneType, none, all])).toBe(all);
  expect(widest([narrow, ofOne, oneType, none])).toBe(none);
  expect(widest([narrow, ofOne, oneType])).toBe(oneType);
  expect(widest([narrow, ofOne, ofTwo])).toBe(ofTwo);
  expect(widest([])).toBeUndefined();
});
