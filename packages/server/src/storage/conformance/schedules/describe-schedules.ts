import { describe } from "vitest";
import { scheduleAccountSuite } from "./schedule-account-suite.ts";
import { scheduleBackfillSuite } from "./schedule-backfill-suite.ts";
import { scheduleCatchUpSuite } from "./schedule-catch-up-suite.ts";
import { scheduleEditSuite } from "./schedule-edit-suite.ts";
import { scheduleFilterSuite } from "./schedule-filter-suite.ts";
import type { MakeClockedLocation } from "./schedule-harness.ts";
import { scheduleJudgingSuite } from "./schedule-judging-suite.ts";
import { scheduleKeepingSuite } from "./schedule-keeping-suite.ts";
import { scheduleMovedSuite } from "./schedule-moved-suite.ts";
import { scheduleNodesSuite } from "./schedule-nodes-suite.ts";
import { scheduleOverlapSuite } from "./schedule-overlap-suite.ts";
import { schedulePauseSuite } from "./schedule-pause-suite.ts";
import { scheduleRecordSuite } from "./schedule-record-suite.ts";
import { scheduleRunsSuite } from "./schedule-runs-suite.ts";
import { scheduleSkipSuite } from "./schedule-skip-suite.ts";
import { scheduleTargetSuite } from "./schedule-target-suite.ts";
import { scheduleTriggerSuite } from "./schedule-trigger-suite.ts";
import { scheduleWalkSuite } from "./schedule-walk-suite.ts";

/** What every store must do with recurring schedules. Every adapter runs all of it. The tests set the clock. */
export function describeSchedules(
  name: string,
  makeLocation: MakeClockedLocation,
  { shared }: { readonly shared: boolean },
): void {
  describe(`${name}: recurring schedules`, () => {
    describe("records", () => scheduleKeepingSuite(makeLocation));
    describe("runs", () => scheduleRunsSuite(makeLocation));
    describe("overlap", () => scheduleOverlapSuite(makeLocation));
    describe("catch-up", () => scheduleCatchUpSuite(makeLocation));
    describe("pause and resume", () => schedulePauseSuite(makeLocation));
    describe("edits", () => scheduleEditSuite(makeLocation));
    describe("messages that were moved", () => scheduleMovedSuite(makeLocation));
    describe("skip and unskip", () => scheduleSkipSuite(makeLocation));
    describe("trigger", () => scheduleTriggerSuite(makeLocation));
    describe("backfills", () => scheduleBackfillSuite(makeLocation));
    describe("filters of jobs and searches", () => scheduleFilterSuite(makeLocation));
    describe("forecasts", () => scheduleWalkSuite(makeLocation));
    describe("targets", () => scheduleTargetSuite(makeLocation));
    describe("accounts", () => scheduleAccountSuite(makeLocation));
    describe("dead letters and expiry", () => scheduleJudgingSuite(makeLocation));
    describe("what did not happen", () => scheduleRecordSuite(makeLocation));
    if (shared) describe("several nodes", () => scheduleNodesSuite(makeLocation));
  });
}
