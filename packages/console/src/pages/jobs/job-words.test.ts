import { expect, test } from "vitest";
import { actionWords, filterWords, hasEnded, stopWords } from "./job-words.ts";

const none = { byMs: null, deliveryTime: null };

test("what a job does", () => {
  const day = 86_400_000;
  expect(actionWords({ ...none, action: "shift", byMs: day }, "UTC")).toBe("Move later by 1 d");
  expect(actionWords({ ...none, action: "shift", byMs: -day / 2 }, "UTC")).toBe(
    "Move earlier by 12 h",
  );
  const at = "2026-11-18T09:30:00.000Z";
  expect(actionWords({ ...none, action: "reschedule", deliveryTime: at }, "Asia/Tokyo")).toBe(
    "Reschedule to 2026-11-18 18:30:00 GMT+9",
  );
  expect(actionWords({ ...none, action: "redrive" }, "UTC")).toBe("Send again");
});

test("which messages it is about", () => {
  const filter = {
    targetId: "mail",
    labels: { order: "17\u202e" },
    minTime: "2026-11-18T09:30:00.000Z",
    maxTime: "2026-11-19T09:30:00.000Z",
  };
  expect(filterWords("cancel", filter, "UTC")).toBe(
    "messages of mail, with order=17\\u202e, due from 2026-11-18 09:30:00 UTC, until 2026-11-19 09:30:00 UTC",
  );
  expect(
    filterWords(
      "redrive",
      { targetId: "mail", deadLetterReason: "ATTEMPTS_EXHAUSTED", lastStatusCode: 503 },
      "UTC",
    ),
  ).toBe("dead letters of mail, all attempts failed, last with 503");
  expect(filterWords("redrive", { targetId: "mail", lastStatusCode: 503 }, "UTC")).toBe(
    "dead letters of mail, last with 503",
  );
  expect(filterWords("cancel", { scheduleId: "digest", keyPrefix: "a" }, "UTC")).toBe(
    "messages, of the schedule digest, with a key that begins with a",
  );
});

test("why it stands still, and whether it has ended", () => {
  expect(stopWords({ stopReason: "FAILURES" })).toBe("too many failed again in a row");
  expect(stopWords({ stopReason: null })).toBeNull();
  const states = ["RUNNING", "PAUSED", "DONE", "STOPPED", "FAILED"] as const;
  expect(states.map((state) => hasEnded({ state }))).toEqual([false, false, true, true, true]);
});
