import { describe, expect, test } from "vitest";
import { isMatched, timeInJob, walkOf } from "./job-filter.ts";
import { startedJob } from "./job.ts";
import type { JobFilter, NewJob } from "./job.ts";
import { someJob } from "./testing/some-job.ts";
import { attempted, cancelled, scheduled } from "./transitions.ts";
import type { MessageOptions } from "./message-options.ts";

const jobTime = 1_000;

const pending = (options: MessageOptions | null = null, schedulingTime = jobTime) =>
  scheduled({ messageId: "msg_1", targetId: "t", deliveryTime: 5_000, options }, schedulingTime);

const dead = (deadLetterTime = jobTime) =>
  attempted(
    pending(),
    { startTime: 900, next: { kind: "dead-letter", reason: "REJECTED" } },
    deadLetterTime,
    60_000,
  )!;

function matches(
  message: ReturnType<typeof pending>,
  filter: Partial<JobFilter> = {},
  {
    action = "cancel",
    status = null,
  }: Partial<{ action: NewJob["action"]; status: number | null }> = {},
): boolean {
  const order = someJob({ action, filter });
  return isMatched(order, jobTime, message, () => status);
}

describe("a walk", () => {
  test("goes by the first label if there is one, and by the target otherwise", () => {
    const labelled = { filter: { labels: ["a:1", "b:2"] } };
    expect(walkOf(someJob(labelled))).toEqual({ by: "label", label: "a:1" });
    const byTarget = { by: "target", targetId: "t", first: "earliest" };
    expect(walkOf(someJob())).toEqual({ ...byTarget, list: "scheduled" });
    const redrive = someJob({ action: "redrive" });
    expect(walkOf(redrive)).toEqual({ ...byTarget, list: "dead-letters" });
  });

  test("goes away from where messages are moved, and then back once", () => {
    const first = (byMs: number) => walkOf(someJob({ action: "shift", byMs }));
    expect(first(1)).toMatchObject({ first: "latest" });
    expect(first(-1)).toMatchObject({ first: "earliest" });
    const job = startedJob(someJob({ action: "shift", byMs: 1 }), 0);
    expect(walkOf(job)).toMatchObject({ first: "latest" });
    const again = { ...job, progress: { ...job.progress, walksAgain: true } };
    expect(walkOf(again)).toMatchObject({ first: "earliest" });
  });
});

describe("a message is matched", () => {
  test("in the state that the action needs", () => {
    expect(matches(pending())).toBe(true);
    expect(matches(pending(), {}, { action: "redrive" })).toBe(false);
    expect(matches(dead())).toBe(false);
    expect(matches(dead(), {}, { action: "redrive" })).toBe(true);
    expect(matches(cancelled(pending(), 900, 60_000)!)).toBe(false);
    expect(timeInJob({ action: "redrive" }, dead())).toBe(jobTime);
    expect(timeInJob({ action: "shift" }, pending())).toBe(5_000);
  });

  test("if it was there when the job was created", () => {
    expect(matches(pending(null, jobTime + 1))).toBe(false);
    expect(matches(dead(jobTime + 1), {}, { action: "redrive" })).toBe(false);
  });

  test.each([
    [{ minTime: 5_000 }, true],
    [{ minTime: 5_001 }, false],
    [{ maxTime: 5_000 }, true],
    [{ maxTime: 4_999 }, false],
    [{ targetId: "u" }, false],
    [{ targetId: null, labels: ["a:1"] }, true],
    [{ labels: ["a:1", "b:2"] }, true],
    [{ labels: ["a:1", "b:3"] }, false],
    [{ keyPrefix: "order-" }, true],
    [{ keyPrefix: "order-7" }, true],
    [{ keyPrefix: "rder" }, false],
    [{ deadLetterReason: "REJECTED" as const }, false],
  ])("%o: %s", (filter, expected) => {
    const message = pending({ key: "order-7", labels: { a: "1", b: "2" } });
    expect(matches(message, filter)).toBe(expected);
  });

  test("without options only by what all messages have", () => {
    expect(matches(pending(), { keyPrefix: "a" })).toBe(false);
    expect(matches(pending(), { labels: ["a:1"] })).toBe(false);
    const made = pending({ schedule: { scheduleId: "s", runTime: 5_000 } });
    expect(matches(made, { labels: ["@s"] })).toBe(true);
    expect(matches(made, { labels: ["@t"] })).toBe(false);
  });

  test("by its last status, which nobody asks for without need", () => {
    const redrive = { action: "redrive" } as const;
    expect(matches(dead(), { lastStatusCode: 503 }, { ...redrive, status: 503 })).toBe(true);
    expect(matches(dead(), { lastStatusCode: 503 }, { ...redrive, status: 500 })).toBe(false);
    expect(matches(dead(), { lastStatusCode: 503 }, redrive)).toBe(false);
    const order = someJob({ ...redrive, filter: { maxTime: 0, lastStatusCode: 503 } });
    const never = () => {
      throw new Error("it was asked");
    };
    expect(isMatched(order, jobTime, dead(), never)).toBe(false);
    expect(isMatched(someJob(redrive), jobTime, dead(), never)).toBe(true);
  });
});
