import { expect, test } from "vitest";
import { activityBoundsMs, addCounts, countAttempt, noActivity, viewActivity } from "./activity.ts";

test("an attempt counts once by its outcome, its duration and its lateness", () => {
  const counts = noActivity();
  countAttempt(counts, { outcome: "TIMEOUT", durationMs: 5, latenessMs: 6 });
  const { attempts, outcomes, durations, lateness } = viewActivity(counts);
  expect(attempts).toBe(1);
  expect(outcomes).toMatchObject({ TIMEOUT: 1, DELIVERED: 0 });
  expect(durations.counts).toEqual(oneAt(2));
  expect(lateness.counts).toEqual(oneAt(3));
});

test("each bound belongs to its bucket, and what is above the last has a bucket of its own", () => {
  for (const [place, bound] of activityBoundsMs.entries()) {
    expect(durationsOf(bound)).toEqual(oneAt(place));
    expect(durationsOf(bound + 0.5)).toEqual(oneAt(place + 1));
  }
  expect(durationsOf(0)).toEqual(oneAt(0));
  // A clock that was set back can make a time negative.
  expect(durationsOf(-3)).toEqual(oneAt(0));
});

test("counts that lack the outcomes of a later version are as if these were zero", () => {
  const older = noActivity().slice(0, -2);
  const newer = noActivity();
  countAttempt(older, { outcome: "DELIVERED", durationMs: 1, latenessMs: 1 });
  countAttempt(newer, { outcome: "INTERRUPTED", durationMs: 1, latenessMs: 1 });
  for (const sum of [addCounts(older, newer), addCounts(newer, older)]) {
    expect(viewActivity(sum).outcomes).toMatchObject({ DELIVERED: 1, INTERRUPTED: 1 });
  }
  expect(viewActivity(older).outcomes["INTERRUPTED"]).toBe(0);
});

test("quantiles are estimated within their bucket", () => {
  const counts = noActivity();
  for (let count = 0; count < 100; count++) {
    countAttempt(counts, { outcome: "DELIVERED", durationMs: 150, latenessMs: 3_600_000 });
  }
  const { durations, lateness } = viewActivity(counts);
  expect(durations).toMatchObject({ p50Ms: 150, p99Ms: 199 });
  expect(lateness).toMatchObject({ p50Ms: 900_000, p99Ms: 900_000 });
  expect(viewActivity(noActivity()).durations).toMatchObject({ p50Ms: null, p99Ms: null });
});

function durationsOf(durationMs: number): readonly number[] {
  const counts = noActivity();
  countAttempt(counts, { outcome: "DELIVERED", durationMs, latenessMs: 0 });
  return viewActivity(counts).durations.counts;
}

function oneAt(place: number): number[] {
  return Array.from({ length: activityBoundsMs.length + 1 }, (_, at) => Number(at === place));
}
