import { expect, test } from "vitest";
import { idleSources } from "./idle-sources.ts";
import { createMetrics } from "./metrics.ts";
import { observeSchedules } from "./observe-schedules.ts";

function play() {
  const lines: string[] = [];
  let now = 0;
  const clock = { ...idleSources.clock, monotonic: () => now };
  const { registry, ...metrics } = createMetrics({ ...idleSources, clock });
  const warn = (fields: unknown, message: string) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const observer = observeSchedules(metrics, { warn } as never);
  const shown = async (name: string): Promise<string[]> =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));
  return { observer, lines, shown, pass: (ms: number) => void (now += ms) };
}

test("counts steps and runs by outcome, and shows how late they are", async () => {
  const { observer, lines, shown } = play();
  observer.schedulesAdvanced({ advanced: 3, runs: { CREATED: 4, SKIPPED: 1, MISSED: 0 } });
  observer.schedulesAdvanced({ advanced: 1, runs: { CREATED: 1, SKIPPED: 0, MISSED: 7 } });
  observer.nextScheduleKnown(-1_500);
  expect(await shown("postdate_schedule")).toEqual([
    "postdate_schedules_advanced_total 4",
    'postdate_schedule_runs_total{outcome="CREATED"} 5',
    'postdate_schedule_runs_total{outcome="SKIPPED"} 1',
    'postdate_schedule_runs_total{outcome="MISSED"} 7',
    "postdate_schedule_lag_seconds 1.5",
    "postdate_schedules_paused_total 0",
  ]);
  expect(lines).toEqual([]);
});

test("shows how long a schedule has waited, also while this node cannot look for schedules", async () => {
  const { observer, shown, pass } = play();
  const lag = () => shown("postdate_schedule_lag_seconds");
  expect(await lag()).toEqual(["postdate_schedule_lag_seconds Nan"]);
  observer.nextScheduleKnown(null);
  pass(60_000);
  expect(await lag()).toEqual(["postdate_schedule_lag_seconds 0"]);
  observer.nextScheduleKnown(2_000);
  pass(1_500);
  expect(await lag()).toEqual(["postdate_schedule_lag_seconds 0"]);
  pass(10_000);
  expect(await lag()).toEqual(["postdate_schedule_lag_seconds 9.5"]);
  observer.nextScheduleKnown(0);
  expect(await lag()).toEqual(["postdate_schedule_lag_seconds 0"]);
});

test("counts and logs a schedule that pauses itself", async () => {
  const { observer, lines, shown } = play();
  observer.schedulesPaused([{ accountId: "acc_1", scheduleId: "digest" }]);
  expect(await shown("postdate_schedules_paused_total")).toEqual([
    "postdate_schedules_paused_total 1",
  ]);
  expect(lines).toEqual([
    'schedule paused after dead letters {"accountId":"acc_1","scheduleId":"digest"}',
  ]);
});
