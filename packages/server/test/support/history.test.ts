import { expect, test } from "vitest";
import { violations } from "./history.ts";
import type { Event, FinalState } from "./history.ts";
import type { Receipt } from "./receiver.ts";

const schedule: Event = {
  verb: "schedule",
  key: "k",
  messageId: "m",
  dueAt: 1_000,
  askedAt: 0,
  answeredAt: 1,
  answer: "ok",
};
const cancel: Event = { ...schedule, verb: "cancel", askedAt: 10, answeredAt: 20 };
const move: Event = { ...schedule, verb: "reschedule", dueAt: 5_000, askedAt: 10, answeredAt: 20 };
const delivered: FinalState = { state: "DELIVERED", deliveryFailureCount: 0, failedAttempts: 0 };
const cancelled: FinalState = { state: "CANCELLED", deliveryFailureCount: 0, failedAttempts: 0 };
const arrivedAt = (...times: number[]): Receipt[] =>
  times.map((at) => ({
    messageId: "m",
    attempt: 1,
    path: "/",
    headers: {},
    body: Buffer.of(),
    at,
  }));

/** The promises that a history breaks. */
function broken(events: Event[], receipts: Receipt[], last: FinalState | undefined, kills = 0) {
  const found = violations({ events, receipts, final: new Map([["m", last]]), kills });
  return [...new Set(found.map((each) => each.split(":")[0]))];
}

test("histories that keep every promise", () => {
  expect(broken([schedule], arrivedAt(1_001), delivered)).toEqual([]);
  expect(broken([schedule, cancel], [], cancelled)).toEqual([]);
  expect(broken([schedule, move], arrivedAt(5_000), delivered)).toEqual([]);
  expect(broken([schedule], arrivedAt(1_001, 1_500), delivered, 1)).toEqual([]);
  expect(broken([schedule, { ...cancel, answer: "unknown" }], [], cancelled)).toEqual([]);
  expect(broken([schedule, { ...cancel, answer: "refused" }], arrivedAt(1_001), delivered)).toEqual(
    [],
  );
});

test("each broken promise is found and named", () => {
  expect(broken([schedule], [], undefined)).toEqual(["G1"]);
  expect(
    broken([schedule, { ...schedule, messageId: "n" }], arrivedAt(1_001), delivered),
  ).toContain("G2");
  expect(broken([schedule], [], { ...delivered, state: "SCHEDULED" })).toEqual(["G3"]);
  expect(broken([schedule], [], delivered)).toEqual(["G3"]);
  expect(broken([schedule], arrivedAt(999), delivered)).toEqual(["G4"]);
  expect(broken([schedule], arrivedAt(1_001, 1_002), delivered)).toEqual(["G5"]);
  expect(broken([schedule, { ...cancel, answeredAt: 2_000 }], arrivedAt(2_001), cancelled)).toEqual(
    ["G9", "G5"],
  );
  expect(broken([schedule, cancel], arrivedAt(1_000), delivered)).toContain("G9");
  expect(broken([schedule, move], arrivedAt(4_999), delivered)).toEqual(["G10"]);
  expect(broken([schedule], arrivedAt(1_001), { ...delivered, deliveryFailureCount: 2 })).toEqual([
    "G11",
  ]);
});
