import { expect, test } from "vitest";
import type { ScheduleEvent } from "../../model-store/schedule-journal.ts";
import { judgeSchedules } from "./judge-schedules.ts";
import type { RunsMessage, ScheduleHistory } from "./schedule-history.ts";
import {
  changedAt,
  created,
  definition,
  endedAs,
  history,
  hour,
  noon,
  of,
  pausedAt,
  run,
  runsAt,
  second,
} from "./support/small-schedule.ts";

const minute = 60 * second;
const [one, two, three] = [noon + hour, noon + 2 * hour, noon + 3 * hour];
const made = [one, two, three].map((time) => runsAt(time - 5 * second, run(time)));
const dead = (runTime: number, endedAt?: number) => endedAs("DEAD_LETTER", runTime, endedAt);
const delivered = (runTime: number, endedAt?: number) => endedAs("DELIVERED", runTime, endedAt);
const pausedItselfAt = (at: number): ScheduleEvent => ({ ...of, kind: "paused itself", at });
const limitedAt = (at: number, pauseAfterDeadLetters: number | null): ScheduleEvent => {
  const edited = definition({ pauseAfterDeadLetters });
  return changedAt(at, { kind: "define", definition: edited, ifRevision: null });
};

/** What is said about pauses of a schedule that pauses itself after two dead letters, after three runs. */
function saidOf(
  messages: readonly RunsMessage[],
  events: readonly ScheduleEvent[] = [],
  change: Partial<ScheduleHistory> = {},
): string[] {
  const all = [created({ pauseAfterDeadLetters: 2 }), ...made, ...events];
  const inOrder = all.toSorted((a, b) => a.at - b.at);
  const told = history(inOrder, messages, { endTime: three + 30 * minute, ...change });
  return judgeSchedules(told)
    .filter((problem) => /paused itself|is not paused/.test(problem))
    .map((problem) => problem.replace(/^\S+ \S+ \S+T/, ""));
}

const tooLate = (time: string) => [`${time} is not paused after 2 dead letters of 2`];
const threeIsKnownAt = "15:00:45.009";

test("a schedule pauses itself after so many dead letters in a row, and not before", () => {
  const pause = [pausedItselfAt(three + 20 * second)];
  expect(saidOf([delivered(one), dead(two), dead(three)], pause)).toEqual([]);
  expect(saidOf([dead(one), delivered(two), dead(three)], pause)).toEqual([
    "15:00:20.000 paused itself after 1 dead letters in a row, not 2",
  ]);
  expect(saidOf([delivered(one), dead(two)], pause)).toEqual([
    "15:00:20.000 paused itself after 1 dead letters in a row, not 2",
  ]);
  expect(saidOf([delivered(one), dead(two), dead(three)])).toEqual(tooLate(threeIsKnownAt));
  expect(saidOf([dead(one), delivered(two), dead(three)])).toEqual([]);
});

test("whoever counts in the order of ends pauses too early, or not at all", () => {
  const late = two + 30 * minute;
  const pause = [pausedItselfAt(three + 20 * second)];
  expect(saidOf([dead(one, late), delivered(two), dead(three)], pause)).toEqual([
    "15:00:20.000 paused itself after 1 dead letters in a row, not 2",
  ]);
  expect(saidOf([dead(one, late), delivered(two), dead(three)])).toEqual([]);
  expect(saidOf([delivered(one, late), dead(two), dead(three)])).toEqual(tooLate(threeIsKnownAt));
  expect(saidOf([delivered(one, late), dead(two), dead(three)], pause)).toEqual([]);
});

test("a run that has not ended, or whose end may be unknown, is not between the others", () => {
  const pausing = three + 20 * second;
  const around = [dead(one), dead(three)];
  for (const ended of [pausing - 10 * second, pausing, three + 25 * minute]) {
    expect(saidOf([...around, delivered(two, ended)], [pausedItselfAt(pausing)])).toEqual([]);
  }
  const known = pausing - 12 * minute;
  expect(saidOf([...around, delivered(two, known)], [pausedItselfAt(pausing)])).not.toEqual([]);
  // It ends before anybody must have looked at the third, and might be looked at first.
  expect(saidOf([...around, delivered(two, three + 40 * second)])).toEqual([]);
  expect(saidOf([...around, delivered(two, three + minute)])).toEqual(tooLate(threeIsKnownAt));
});

test("a message that was late is looked at after a quarter of that time, ten minutes at most", () => {
  const messages = [delivered(one), dead(two), dead(three, three + 4 * minute)];
  expect(saidOf(messages, [pausedAt(three + 5 * minute)])).toEqual([]);
  expect(saidOf(messages, [pausedAt(three + 6 * minute)])).toEqual(tooLate("15:05:40.000"));
  const later = [delivered(one), dead(two, three + 60 * minute)];
  expect(saidOf([...later, dead(three)], [], { endTime: three + 2 * hour })).toEqual(
    tooLate("16:10:40.000"),
  );
});

test("a pause, an edit of the limit or a removal before anybody must have looked changes everything", () => {
  const messages = [delivered(one), dead(two), dead(three)];
  const soon = three + 40 * second;
  const removal: ScheduleEvent = { ...of, kind: "removed", at: soon };
  for (const event of [pausedAt(soon), limitedAt(soon, 3), limitedAt(soon, null), removal]) {
    expect(saidOf(messages, [event])).toEqual([]);
    expect(saidOf(messages, [{ ...event, at: three + minute }])).toEqual(tooLate(threeIsKnownAt));
  }
  expect(saidOf(messages, [], { endTime: soon })).toEqual([]);
  expect(saidOf(messages, [], { excuses: { hold: () => true } })).toEqual([]);
});

test("an end that was known before a pause ended counts no more", () => {
  const ends = [dead(one), dead(two)];
  const pause = pausedItselfAt(two + minute);
  const tooEarly = ["14:01:00.000 paused itself after 1 dead letters in a row, not 2"];
  const resumed = (from: number): ScheduleEvent[] => [
    pausedAt(from),
    changedAt(from + second, { kind: "resume" }),
  ];
  const until = (from: number): ScheduleEvent =>
    changedAt(from, { kind: "pause", note: null, until: from + second });
  const [unknown, known] = [one + 5 * second, one + 2 * minute];
  expect(saidOf(ends, [...resumed(unknown), pause])).toEqual([]);
  expect(saidOf(ends, [until(unknown), pause])).toEqual([]);
  expect(saidOf(ends, [...resumed(known), pause])).toEqual(tooEarly);
  expect(saidOf(ends, [until(known), pause])).toEqual(tooEarly);
  // And it need not count, also if it may.
  expect(saidOf(ends, resumed(unknown))).toEqual([]);
  expect(saidOf(ends, [until(unknown)])).toEqual([]);
  expect(saidOf([...ends, dead(three)], resumed(known))).toEqual(tooLate(threeIsKnownAt));
  expect(saidOf([...ends, dead(three)], [until(known)])).toEqual(tooLate(threeIsKnownAt));
});

test("a schedule without a limit, or one that is paused, does not pause itself", () => {
  const ends = [dead(one), dead(two)];
  const pause = pausedItselfAt(two + 20 * second);
  expect(saidOf(ends, [limitedAt(one + second, null), pause])).toEqual([
    "14:00:20.000 paused itself without a limit of dead letters",
  ]);
  expect(saidOf(ends, [pausedAt(two + 10 * second), pause])).toEqual([
    "14:00:20.000 paused itself although it was paused",
  ]);
});

test("nobody knows how a message ended that a caller has brought back, or when one was looked at that was moved", () => {
  const pause = pausedItselfAt(three + 20 * second);
  const about = { ...of, at: three + minute, messageId: `m${two}` };
  const revived: ScheduleEvent = { ...about, kind: "revived" };
  expect(saidOf([delivered(one), delivered(two), dead(three)], [pause, revived])).toEqual([]);
  expect(saidOf([delivered(one), dead(two), dead(three)], [revived])).toEqual([]);
  const moved: ScheduleEvent = { ...about, kind: "moved", at: two - second, to: two + second };
  expect(saidOf([dead(one), delivered(two), dead(three)], [moved, pause])).toEqual([]);
  expect(saidOf([delivered(one), dead(two), dead(three)], [moved])).toEqual([]);
});

test("runs that were made without a limit may count or not", () => {
  const limits = [limitedAt(noon + second, null), limitedAt(two - minute, 2)];
  const pause = pausedItselfAt(two + 20 * second);
  expect(saidOf([dead(one, two - second), dead(two)], [...limits, pause])).toEqual([]);
  expect(saidOf([dead(one, two - second), dead(two)], limits)).toEqual([]);
});

test("a clock that was set back leaves open what came first", () => {
  const pause = pausedItselfAt(three - second);
  const ends = [delivered(one), dead(two), dead(three, three + second)];
  expect(saidOf(ends, [pause], { setBackMs: 2 * second })).toEqual([]);
  expect(saidOf(ends, [pause], { setBackMs: second })).not.toEqual([]);
  const late = tooLate("15:00:48.259");
  expect(saidOf([delivered(one), dead(two), dead(three)], [], { setBackMs: 3_250 })).toEqual(late);
});
