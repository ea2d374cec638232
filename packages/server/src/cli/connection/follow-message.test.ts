import { expect, test } from "vitest";
import { nextPollMs } from "./follow-message.ts";

test("before a message is due, it is read when it becomes due, or now and then", () => {
  expect(nextPollMs(2_000, 50)).toBe(2_050);
  expect(nextPollMs(30_000, 50)).toBe(5_000);
  expect(nextPollMs(200_000, 50)).toBe(20_000);
  expect(nextPollMs(3_600_000, 50)).toBe(60_000);
});

test("once a message is due, the interval counts, up to five seconds", () => {
  expect(nextPollMs(-1, 75)).toBe(75);
  expect(nextPollMs(0, 60_000)).toBe(5_000);
});
