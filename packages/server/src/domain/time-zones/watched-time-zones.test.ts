import { expect, test } from "vitest";
import { changed } from "../schedules/steps/changed.ts";
import { createdSchedule } from "../schedules/steps/created-schedule.ts";
import { someDefinition } from "../schedules/steps/testing/some-definition.ts";
import { clock } from "../schedules/steps/testing/world.ts";
import type { Surroundings } from "../schedules/steps.ts";
import { TimeZones } from "./time-zones.ts";
import { WatchedTimeZones } from "./watched-time-zones.ts";

const now = clock("08:59:30");
const ref = { accountId: "acme", scheduleId: "digest" };
const alone: Surroundings = { now, openRuns: [], recordedRuns: [], earlier: "ended" };

function schedule(timeZone: string) {
  const watched = new WatchedTimeZones(new TimeZones());
  const created = createdSchedule(ref, someDefinition({ timeZone }), now, watched)!;
  return { created, isAsked: watched.isAsked };
}

test("a schedule in UTC depends on no time-zone data, one in another zone does", () => {
  expect(schedule("UTC").isAsked).toBe(false);
  expect(schedule("Europe/Berlin").isAsked).toBe(true);
  expect(new WatchedTimeZones(new TimeZones()).find("Mars/Olympus_Mons")).toBeUndefined();
});

test("a pause without an end computes nothing, one with an end does", () => {
  const { created } = schedule("Europe/Berlin");
  const isAsked = (until: number | null): boolean => {
    const watched = new WatchedTimeZones(new TimeZones());
    changed(created, { kind: "pause", note: null, until }, alone, watched);
    return watched.isAsked;
  };
  expect(isAsked(null)).toBe(false);
  expect(isAsked(clock("12:00:00"))).toBe(true);
});
