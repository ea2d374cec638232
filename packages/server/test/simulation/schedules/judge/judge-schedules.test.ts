import { expect, test } from "vitest";
import type { Schedule } from "../../../../src/domain/schedules/schedule.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { judgeSchedules } from "./judge-schedules.ts";
import type { ScheduleHistory } from "./schedule-history.ts";
import {
  changedAt,
  created,
  definition,
  history,
  hour,
  messageOf,
  noon,
  of,
  pausedAt,
  run,
  runsAt,
  second,
  takenBackAt,
} from "./support/small-schedule.ts";

const [one, two] = [noon + hour, noon + 2 * hour];
const inTime = [runsAt(one - 5 * second, run(one)), runsAt(two - 5 * second, run(two))];
const kept = history([created(), ...inTime], [messageOf(one), messageOf(two)]);
const taken = takenBackAt(two, two - second);
const attempted = { ...taken, message: { ...taken.message, attemptCount: 1 } };
const anOutage = { excuses: { hold: () => true } };
const missed = run(one, { outcome: "MISSED", reason: "NOT_CAUGHT_UP" });

test("a history in which every promise was kept has no problems", () => {
  expect(judgeSchedules(kept)).toEqual([]);
});

test("after an outage the last run is caught up, and the others are on record", () => {
  const at = two + 60 * second;
  const events = [created(), runsAt(at, missed, run(two, { trigger: "CATCH_UP" }))];
  expect(judgeSchedules(history(events, [messageOf(two)], anOutage))).toEqual([]);
});

test("a pause takes back what is to come, and nothing is expected meanwhile", () => {
  const at = two - second;
  const undone: ScheduleEvent = { ...of, kind: "runs", at, runs: [], undone: [two] };
  const events = [created(), ...inTime, pausedAt(at), undone];
  expect(judgeSchedules(history(events, [messageOf(one), takenBackAt(two, at)]))).toEqual([]);
});

test.each<[string, ScheduleHistory, RegExp]>([
  ["a run that is missing", history([created(), inTime[0]!], [messageOf(one)]), /is missing/],
  [
    "a run that is made twice",
    history(
      [...kept.events, runsAt(two - 4 * second, run(two, { messageId: "other" }))],
      [
        ...kept.messages,
        messageOf(two, { message: { ...messageOf(two).message, messageId: "other" } }),
      ],
    ),
    /is CREATED already, and now CREATED/,
  ],
  [
    "a run at another time",
    history(
      [created(), ...inTime, runsAt(two, run(two + 1))],
      [...kept.messages, messageOf(two + 1)],
    ),
    /its definition does not name/,
  ],
  [
    "a run too early",
    history([created(), runsAt(one - 6 * second, run(one)), inTime[1]!], kept.messages),
    /comes too early/,
  ],
  [
    "a message without a run",
    history(
      [created(), inTime[0]!, runsAt(two, run(two, { outcome: "SKIPPED", reason: "OVERLAP" }))],
      kept.messages,
    ),
    /belongs to no run/,
  ],
  ["a run without its message", history(kept.events, [messageOf(one)]), /has no message/],
  [
    "a run that was missed without an outage",
    history(
      [
        created({ catchUp: { mode: "none", windowMs: hour } }),
        runsAt(one + 60 * second, missed),
        inTime[1]!,
      ],
      [messageOf(two)],
    ),
    /nothing had gone wrong/,
  ],
  [
    "a run that should have been caught up",
    history([created(), runsAt(one + 60 * second, missed), inTime[1]!], [messageOf(two)], anOutage),
    /should have been caught up/,
  ],
  [
    "a delivery before its time",
    history(kept.events, [messageOf(one, { attemptTimes: [one - 1] }), messageOf(two)]),
    /before its time/,
  ],
  [
    "a run that a pause does not take back",
    history([...kept.events, pausedAt(two - second)], kept.messages),
    /was not taken back/,
  ],
  [
    "a delivery of what a pause took back",
    history(
      [...kept.events, pausedAt(two - second)],
      [messageOf(one), { ...takenBackAt(two, two - second), attemptTimes: [two] }],
    ),
    /was attempted after it had ended/,
  ],
  [
    "a pause that takes back what was attempted",
    history([...kept.events, pausedAt(two - second)], [messageOf(one), attempted]),
    /was taken back, and attempted/,
  ],
  [
    "a run while the schedule is paused",
    history([created(), inTime[0]!, pausedAt(one + second), inTime[1]!], kept.messages),
    /while the schedule was paused/,
  ],
  [
    "a run that an edit loses",
    history(
      [
        ...kept.events,
        changedAt(two + second, { kind: "define", definition: definition(), ifRevision: null }),
        runsAt(two + second, run(two, { outcome: "SKIPPED", reason: "EDITED" })),
      ],
      [messageOf(one), takenBackAt(two, two + second)],
    ),
    /lost by an edit that keeps it/,
  ],
  [
    "a run whose message an edit took back, and nothing else",
    history(
      [
        ...kept.events,
        changedAt(two + second, { kind: "define", definition: definition(), ifRevision: null }),
      ],
      [messageOf(one), takenBackAt(two, two + second)],
    ),
    /its message was taken back/,
  ],
  [
    "a run that was called off",
    history(
      [created(), changedAt(noon + 9, { kind: "skip", time: two }), ...inTime],
      kept.messages,
    ),
    /although it was called off/,
  ],
  [
    "a run that nobody called off",
    history(
      [created(), inTime[0]!, runsAt(two, run(two, { outcome: "SKIPPED", reason: "REQUESTED" }))],
      [messageOf(one)],
    ),
    /was not called off/,
  ],
  [
    "an overlap without an earlier message",
    history(
      [
        created({ overlap: "skip" }),
        inTime[0]!,
        runsAt(two, run(two, { outcome: "SKIPPED", reason: "OVERLAP" })),
      ],
      [messageOf(one)],
    ),
    /the earlier one had ended/,
  ],
  [
    "more runs than were wanted",
    history([created({ maxRuns: 1 }), ...inTime], kept.messages),
    /more runs than wanted/,
  ],
  [
    "a run that is skipped although the limit has room",
    history(
      [created(), inTime[0]!, runsAt(two, run(two, { outcome: "SKIPPED", reason: "E-DI-5005" }))],
      kept.messages,
      { monthlyLimits: new Map([["acc", 2]]) },
    ),
    /was skipped with 1 of 2 messages used/,
  ],
  [
    "a run that an edit loses at the limit",
    history(
      [
        created(),
        runsAt(one - 3 * second, run(one)),
        changedAt(one - second, { kind: "define", definition: definition(), ifRevision: null }),
        runsAt(one - second, run(one, { outcome: "SKIPPED", reason: "E-DI-5005" })),
      ],
      [messageOf(one)],
      { monthlyLimits: new Map([["acc", 1]]) },
    ),
    /was lost by an edit/,
  ],
  [
    "a run that is charged twice",
    history([created(), ...inTime], kept.messages, {
      usage: [{ accountId: "acc", month: "2027-06", used: 3, limit: null }],
    }),
    /is charged for 3 runs in 2027-06, and has 2/,
  ],
  [
    "more rows without a message than may be",
    history([created(), ...inTime], kept.messages, {
      schedules: [
        {
          ...{ scheduleKey: 2, unmadeRuns: 1_201 },
          schedule: { accountId: "acc", scheduleId: "full" } as Schedule,
        },
      ],
    }),
    /acc\/full has 1201 rows without a message/,
  ],
  [
    "a step after the removal",
    history(
      [created(), inTime[0]!, { ...of, kind: "removed", at: one + second }, inTime[1]!],
      kept.messages,
    ),
    /goes on after it was removed/,
  ],
])("%s is found", (_what, broken, problem) => {
  expect(judgeSchedules(broken).join("\n")).toMatch(problem);
});
