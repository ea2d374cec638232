import fc from "fast-check";
import { expect, test } from "vitest";
import { Effort } from "./effort.ts";
import { occurrencesOf } from "./occurrences.ts";
import { givenCrons } from "./testing/given-cron.ts";
import {
  changesBetween,
  clockOf,
  expectedOf,
  foundOf,
  linesOf,
  middleOf,
  minutesAround,
} from "./testing/oracle.ts";
import { cronRule, recurring } from "./testing/recurring.ts";

const dayMs = 86_400_000;
const zones = Intl.supportedValuesOf("timeZone");

/** One of the changes of clocks of a zone in a year, or a day of the year if it has none. */
const changes = fc
  .tuple(fc.constantFrom(...zones), fc.integer({ min: 2019, max: 2037 }), fc.nat())
  .map(([zone, year, pick]) => {
    const clock = clockOf(zone);
    const found = changesBetween(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1), clock);
    const change = found[pick % found.length] ?? Date.UTC(year, 0, 1) + (pick % 365) * dayMs;
    return { zone, minutes: minutesAround(change, clock) };
  });
const several = fc.array(givenCrons, { minLength: 10, maxLength: 10 });

test("occurrences around changes of clocks are those that a look at every minute finds", () => {
  fc.assert(
    fc.property(changes, several, ({ zone, minutes }, crons) => {
      for (const cron of crons) {
        const recurrence = recurring(cronRule(cron.text), zone);
        const occurrences = occurrencesOf(recurrence, middleOf(minutes), new Effort(1e6));
        const expected = linesOf(expectedOf(cron, minutes));
        expect(linesOf(foundOf(occurrences, minutes)), cron.text).toBe(expected);
      }
    }),
    { numRuns: 30, seed: 17 },
  );
});

test("a union has what its parts have, each once and in order", () => {
  fc.assert(
    fc.property(changes, several, ({ zone, minutes }, crons) => {
      const times = (texts: readonly string[]): number[] => {
        const recurrence = recurring(cronRule(...texts), zone);
        const occurrences = occurrencesOf(recurrence, middleOf(minutes), new Effort(1e6));
        return foundOf(occurrences, minutes).map(({ time }) => time);
      };
      const parts = crons.slice(0, 3).map(({ text }) => text);
      const all = new Set(parts.flatMap((text) => times([text])));
      expect(times(parts)).toEqual([...all].toSorted((a, b) => a - b));
    }),
    { numRuns: 10, seed: 17 },
  );
});
