import { expect } from "vitest";
import { violations } from "./history.ts";
import type { History } from "./history.ts";

/** The history keeps every promise, and enough has happened for that to mean something. */
export function expectKept(history: History): void {
  const count = (verb: string, answer: string): number =>
    history.events.filter((event) => event.verb === verb && event.answer === answer).length;
  expect(count("schedule", "ok")).toBeGreaterThan(100);
  expect(count("cancel", "ok")).toBeGreaterThan(10);
  expect(count("reschedule", "ok")).toBeGreaterThan(5);
  expect(history.events.filter((event) => event.answer === "unknown").length).toBeGreaterThan(0);
  expect(history.receipts.length).toBeGreaterThan(50);
  expect(violations(history)).toEqual([]);
}
