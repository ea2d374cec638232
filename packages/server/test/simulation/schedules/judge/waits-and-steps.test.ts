import { expect, test } from "vitest";
import type { Schedule, ScheduleDefinition } from "../../../../src/domain/schedules/schedule.ts";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { judgeSchedules } from "./judge-schedules.ts";
import type { ScheduleHistory } from "./schedule-history.ts";
import {
  changedAt,
  created,
  definition,
  everyHour,
  history,
  hour,
  messageOf,
  noon,
  pausedAt,
  run,
  runsAt,
  second,
  takenBackAt,
} from "./support/small-schedule.ts";

const [one, two, three] = [noon + hour, noon + 2 * hour, noon + 3 * hour];
const first = runsAt(one - 5 * second, run(one));
const anOutage = { excuses: { hold: () => true } };
const setBackMs = 60 * second;

/** The second run waits for the first one until `endedAt`, and is made at `madeAt`. */
function queued(
  endedAt: number,
  madeAt: number,
  change: Partial<ScheduleHistory> = {},
): ScheduleHistory {
  const events = [created({ overlap: "queue" }), first, runsAt(madeAt, run(two))];
  const late = { attemptTimes: [madeAt], endedAt: madeAt + 9 };
  return history(events, [messageOf(one, { endedAt }), messageOf(two, late)], change);
}

test("a run that waited is made when nothing is before it any more", () => {
  const endedAt = two + 10 * 60 * second;
  expect(judgeSchedules(queued(endedAt, endedAt + second))).toEqual([]);
  expect(judgeSchedules(queued(endedAt, endedAt + 11 * second, anOutage))).toEqual([]);
  expect(judgeSchedules(queued(endedAt, endedAt + 11 * second)).join()).toMatch(
    /was made 11000 ms after it could be/,
  );
});

test("a run that had nothing to wait for is not late without being missed", () => {
  const madeAt = two + 11 * second;
  const found = /was made 11000 ms late, as if in time, and had not waited/;
  expect(judgeSchedules(queued(two - second, madeAt, anOutage)).join()).toMatch(found);
  // By a clock that was set back since, the first one ended later.
  const change = { ...anOutage, setBackMs: 2 * second };
  expect(judgeSchedules(queued(two - second, madeAt, change))).toEqual([]);
});

test("a run is skipped for an earlier one that ended after it, by a clock that was set back since", () => {
  const skipped = runsAt(two, run(two, { outcome: "SKIPPED", reason: "OVERLAP" }));
  const judged = (change: Partial<ScheduleHistory>): string => {
    const messages = [messageOf(one, { endedAt: two - 2 * second })];
    return judgeSchedules(
      history([created({ overlap: "skip" }), first, skipped], messages, {
        ...{ endTime: two + hour / 2 },
        ...change,
      }),
    ).join();
  };
  expect(judged({})).toMatch(/was skipped although the earlier one had ended/);
  expect(judged({ setBackMs: second })).toMatch(/was skipped although the earlier one had ended/);
  expect(judged({ setBackMs: 2 * second })).toBe("");
});

test("of the runs that wait, only those go that have too many behind them", () => {
  const skipped = run(two, { outcome: "SKIPPED", reason: "OVERLAP" });
  const skippedAt = (at: number, overlap: "queue" | "replace"): string => {
    const last = at >= three ? [runsAt(three + second, run(three))] : [];
    const lasting = { endedAt: at, attemptTimes: [one] };
    const messages = [messageOf(one, lasting), ...(at >= three ? [messageOf(three)] : [])];
    const events = [created({ overlap }), first, runsAt(at, skipped), ...last];
    return judgeSchedules(history(events, messages, { endTime: at + hour / 2 })).join();
  };
  expect(skippedAt(three, "replace")).toBe("");
  expect(skippedAt(three, "queue")).toMatch(/was skipped although it may wait/);
  expect(skippedAt(two, "replace")).toMatch(/was skipped although it may wait/);
});

test("a clock that was set back excuses what it may have shown before, and no more", () => {
  const at = two - 2 * second;
  const events = [created(), first, runsAt(two - 5 * second, run(two)), pausedAt(at)];
  const judged = (attemptedAt: number, change: Partial<ScheduleHistory>): string => {
    const late = { attemptTimes: [attemptedAt], endedAt: attemptedAt + 9 };
    return judgeSchedules(history(events, [messageOf(one), messageOf(two, late)], change)).join();
  };
  expect(judged(two, { setBackMs })).not.toMatch(/was not taken back/);
  expect(judged(two, { setBackMs: second })).toMatch(/was not taken back/);
  expect(judged(two, {})).toMatch(/was not taken back/);
});

test("a schedule does not go back with the clock, and forgets nothing else", () => {
  const edited = (at: number): ScheduleEvent =>
    changedAt(at, { kind: "define", definition: definition(), ifRevision: null });
  const judged = (...at: number[]): string => {
    const events = [created(), first, ...at.map(edited)];
    return judgeSchedules(history(events, [messageOf(one)], { setBackMs })).join();
  };
  expect(judged(two + 30 * second, two - 10 * second)).toBe("");
  expect(judged(two - 30 * second, two - 40 * second)).toMatch(/14:00:00\.000 is missing/);
  expect(judged(two - 10 * second)).toMatch(/is missing/);
});

test("a run that waits through two edits comes only if the second allows more", () => {
  const editedAt = (at: number, payload: string, change: Partial<ScheduleDefinition>) =>
    changedAt(at, {
      ...{ kind: "define", definition: definition({ payload, ...change }), ifRevision: null },
    });
  const judged = (maxRuns: number | null, endedAt: number): string => {
    const events = [
      ...[created({ overlap: "queue" }), first],
      editedAt(two + 10 * second, "second", { overlap: "queue" }),
      editedAt(two + 20 * second, "third", { overlap: "queue", maxRuns }),
      editedAt(two + 60 * second, "fourth", { overlap: "allow", maxRuns }),
    ];
    const meanings = new Map(["d", "second", "third", "fourth"].map((each) => [each, everyHour]));
    return judgeSchedules(history(events, [messageOf(one, { endedAt })], { meanings })).join();
  };
  expect(judged(1, three)).toBe("");
  expect(judged(null, three)).toMatch(/14:00:00\.000 is missing/);
  expect(judged(1, two + second)).toMatch(/14:00:00\.000 is missing/);
});

test("what a backfill has made is not next after the clock was set back", () => {
  const goingOnWith = (nextRunTime: number): string => {
    const backfilled = run(two, { trigger: "BACKFILL" });
    const events = [
      ...[created(), pausedAt(noon + second), runsAt(two + second, backfilled)],
      changedAt(one + second, { kind: "resume" }),
    ];
    const late = messageOf(two, { attemptTimes: [two + second], endedAt: two + 2 * second });
    const schedule = { accountId: "acc", scheduleId: "s", nextRunTime } as Schedule;
    const schedules = [{ scheduleKey: 1, unmadeRuns: 0, schedule }];
    return judgeSchedules(
      history(events, [late], { schedules, setBackMs: 2 * hour, endTime: one + hour / 2 }),
    ).join();
  };
  expect(goingOnWith(three)).toBe("");
  expect(goingOnWith(two)).toMatch(/goes on with .*14:00:00\.000, not .*15:00:00\.000/);
});

test("a time that a caller gave to another run makes none early", () => {
  const given = two - 60 * second;
  const gaveTo = (runTime: number): string => {
    const moved: ScheduleEvent = {
      ...{ scheduleKey: 1, kind: "moved", at: one - second },
      ...{ messageId: `m${runTime}`, to: given },
    };
    const again = messageOf(two, { attemptTimes: [], endedAt: null });
    const early = { ...again, message: { ...again.message, originalDeliveryTime: given } };
    const events = [created(), first, moved, runsAt(two - 5 * second, run(two))];
    return judgeSchedules(history(events, [messageOf(one), early])).join();
  };
  expect(gaveTo(two)).toBe("");
  expect(gaveTo(one)).toMatch(/is due before its run time/);
});

test("what a pause took back is no reason to wait", () => {
  const madeAt = two + 11 * second;
  const pause = pausedAt(one - second);
  const undone: ScheduleEvent = {
    ...{ scheduleKey: 1, kind: "runs", at: one - second },
    ...{ runs: [], undone: [one] },
  };
  const resume = changedAt(one + second, { kind: "resume" });
  const events = [
    ...[created({ overlap: "queue" }), first, pause, undone, resume],
    runsAt(madeAt, run(two)),
  ];
  const late = messageOf(two, { attemptTimes: [madeAt], endedAt: madeAt + 9 });
  const messages = [takenBackAt(one, one - second), late];
  expect(judgeSchedules(history(events, messages, anOutage)).join()).toMatch(/had not waited/);
});
