import fc from "fast-check";
import { expect, test } from "vitest";
import { Effort } from "../../src/domain/schedules/occurrences/effort.ts";
import { occurrencesOf } from "../../src/domain/schedules/occurrences/occurrences.ts";
import { givenCrons } from "../../src/domain/schedules/occurrences/testing/given-cron.ts";
import {
  changesBetween,
  clockOf,
  expectedOf,
  foundOf,
  linesOf,
  middleOf,
  minutesAround,
} from "../../src/domain/schedules/occurrences/testing/oracle.ts";
import { cronRule, recurring } from "../../src/domain/schedules/occurrences/testing/recurring.ts";

const from = Date.UTC(2019, 0, 1);
const until = Date.UTC(2038, 0, 1);
const zones = Intl.supportedValuesOf("timeZone").map((zone, seed) => ({ zone, seed }));

test.each(zones)("every change of clocks in $zone, minute by minute", ({ zone, seed }) => {
  const clock = clockOf(zone);
  const changes = changesBetween(from, until, clock);
  for (const [index, change] of changes.entries()) {
    const minutes = minutesAround(change, clock);
    for (const cron of fc.sample(givenCrons, { numRuns: 5, seed: seed * 1_000 + index })) {
      const recurrence = recurring(cronRule(cron.text), zone);
      const occurrences = occurrencesOf(recurrence, middleOf(minutes), new Effort(1e6));
      const expected = linesOf(expectedOf(cron, minutes));
      const found = linesOf(foundOf(occurrences, minutes));
      expect(found, `${cron.text} near ${change}`).toBe(expected);
    }
  }
});
