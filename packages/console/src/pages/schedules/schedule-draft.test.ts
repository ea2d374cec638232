import { expect, test } from "vitest";
import { changesOf, emptyDraft, recurrenceOf } from "./schedule-draft.ts";

const draft = { ...emptyDraft, targetId: "mail" };

test("only the chosen way to say when counts", () => {
  expect(recurrenceOf(draft)).toMatchObject({ cron: ["0 9 * * MON-FRI"], everyMs: null, at: null });
  expect(recurrenceOf({ ...draft, kind: "every" })).toMatchObject({ cron: null, everyMs: 900_000 });
  expect(
    recurrenceOf({ ...draft, kind: "at", at: "2027-01-01T09:00\n\n 2027-01-02T09:00 " }),
  ).toMatchObject({ at: ["2027-01-01T09:00", "2027-01-02T09:00"], cron: null });
});

test("what is empty is the default", () => {
  expect(changesOf(draft)).toEqual({
    targetId: "mail",
    cron: ["0 9 * * MON-FRI"],
    everyMs: null,
    at: null,
    timeZone: "UTC",
    startTime: null,
    endTime: null,
    maxRuns: null,
    except: [],
    flexWindowMs: 0,
    overlap: "allow",
    pauseAfterDeadLetters: null,
  });
});

test.each([
  { targetId: " " },
  { cron: "\n" },
  { kind: "every", every: "often" },
  { kind: "at", at: "" },
  { maxRuns: "many" },
  { flexWindow: "wide" },
  { pauseAfterDeadLetters: "-1" },
] as const)("%j is not complete", (changes) => {
  expect(changesOf({ ...draft, ...changes })).toBeUndefined();
});
