import { expect, test } from "vitest";
import { TimeZones } from "../../time-zones/time-zones.ts";
import { createdSchedule } from "./created-schedule.ts";
import { someDefinition } from "./testing/some-definition.ts";
import { clock } from "./testing/world.ts";

const ref = { accountId: "acme", scheduleId: "digest" };
const now = clock("09:00:00");

test("a new schedule is due after its creation", () => {
  const definition = someDefinition();
  expect(createdSchedule(ref, definition, now, new TimeZones())).toEqual({
    ...ref,
    ...definition,
    ...{ revision: 1, creationTime: now, updateTime: now, pause: null, skips: [], lastRun: null },
    nextRunTime: clock("09:01:00"),
    progress: {
      ...{ cursor: now, lookTime: clock("09:00:55"), madeRuns: 0, earlierMessageId: null },
      ...{ isQueueing: false, deadLettersInARow: 0 },
    },
  });
});

test("one without an occurrence to come is none", () => {
  for (const given of [{ at: ["2027-01-01T09:00"] }, { endTime: now }, { cron: ["0 0 30 2 *"] }]) {
    expect(createdSchedule(ref, someDefinition(given), now, new TimeZones())).toBeUndefined();
  }
});
