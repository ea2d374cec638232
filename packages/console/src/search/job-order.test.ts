import { expect, test } from "vitest";
import { jobOrderOf } from "./job-order.ts";
import { readSearch } from "./qualifiers.ts";

const orderOf = (text: string) =>
  jobOrderOf(readSearch(text, () => Date.parse("2026-11-18T00:00:00Z")));

test("what waits can be cancelled and moved, what is dead sent again", () => {
  expect(orderOf("target:mail state:scheduled")).toEqual({
    filter: { targetId: "mail" },
    actions: ["cancel", "reschedule", "shift"],
  });
  expect(orderOf("label:order=17 schedule:digest state:dead")).toEqual({
    filter: { labels: { order: "17" }, scheduleId: "digest" },
    actions: ["redrive"],
  });
  expect(orderOf("target:mail due:2h")).toEqual({
    filter: { targetId: "mail", maxTime: "2026-11-18T02:00:00.000Z" },
    actions: ["cancel", "reschedule", "shift"],
  });
});

test.each([
  ["", /say state:/],
  ["target:mail", /say state:/],
  ["target:mail state:scheduled,dead", /say state:/],
  ["target:mail state:delivered", /say state:/],
  ["state:dead", /name a target/],
  ["target:mail state:dead key:a", /cannot go by key:/],
  ["target:mail state:dead scheduled:2h", /cannot go by key:/],
])("%s is no job", (text, problem) => {
  expect(orderOf(text)).toMatch(problem);
});
