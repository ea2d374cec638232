import fc from "fast-check";
import { expect, test } from "vitest";
import { dayMs } from "../../calendar.ts";
import { latestOccurrences } from "./latest-occurrences.ts";
import { occurrencesOf } from "./occurrences.ts";
import type { Rule } from "./occurrences.ts";
import { cronRule, recurring } from "./testing/recurring.ts";

const until = Date.UTC(2027, 6, 1, 12);

test.each<[string, Rule]>([
  ["every second", cronRule("* * * * * *")],
  ["every second of one day a year", cronRule("* * * 1 1 *")],
  ["one day a year, and each minute", cronRule("* * * 1 1 *", "* * * * *")],
  ["an interval", { kind: "every", everyMs: 1_000, since: until - 50 * 365 * dayMs }],
])("of forty years, the latest thousand are found: %s", (_, rule) => {
  const recurrence = recurring(rule, "Europe/Berlin");
  const after = until - 40 * 365 * dayMs;
  const found = latestOccurrences(recurrence, after, until, 1_000);
  expect(found).toHaveLength(1_000);
  const again = occurrencesOf(recurrence, found[0]!).map(({ time }) => time);
  expect(again.take(1_000).toArray()).toEqual(found);
  expect(occurrencesOf(recurrence, found.at(-1)! + 1).next().value!.time).toBeGreaterThan(until);
});

const rules = fc.constantFrom<Rule>(
  cronRule("* * * * * *"),
  cronRule("*/7 9-10 * * MON-FRI"),
  cronRule("0 9 * * *", "30 17 1 * *"),
  cronRule("* * 1 * * *", "0 0 29 2 *"),
  { kind: "every", everyMs: 12_345, since: until - 3 * dayMs },
  { kind: "at", wallTimes: [1, 2, 3, 500, 1_000, 70_000].map((ms) => until - ms * 1_000) },
);

test("it finds what enumerating everything finds", () => {
  fc.assert(
    fc.property(
      rules,
      fc.integer({ min: 0, max: 3 * dayMs }),
      fc.integer({ min: 1, max: 50 }),
      fc.option(fc.integer({ min: -2 * dayMs, max: dayMs })),
      (rule, spanMs, most, endMs) => {
        const endTime = endMs === null ? null : until + endMs;
        const recurrence = recurring(rule, "America/New_York", { endTime });
        // Enumerating three days of seconds would take too long.
        const after = until - Math.min(spanMs, 20_000_000);
        const all = [];
        for (const { time } of occurrencesOf(recurrence, after + 1)) {
          if (time > until) break;
          all.push(time);
        }
        fc.pre(all.length < 9_000);
        expect(latestOccurrences(recurrence, after, until, most)).toEqual(all.slice(-most));
      },
    ),
  );
});
