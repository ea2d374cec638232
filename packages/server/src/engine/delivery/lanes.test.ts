import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";

/** A lane that is idle, and whose target did not answer. */
function distrust(lanes: Lanes, targetKey: number): void {
  const lane = lanes.get(targetKey, "acc");
  lane.learn("TIMEOUT");
  lanes.settle(lane);
}

test("of idle lanes whose targets did not answer only so many are kept, the latest", () => {
  const lanes = new Lanes({ mostDistrusted: 10 });
  for (let targetKey = 1; targetKey <= 15; targetKey++) distrust(lanes, targetKey);
  expect(lanes.size).toBe(10);
  expect([5, 6].map((targetKey) => lanes.find(targetKey)?.targetKey)).toEqual([undefined, 6]);
  distrust(lanes, 6);
  distrust(lanes, 16);
  expect([6, 7].map((targetKey) => lanes.find(targetKey)?.targetKey)).toEqual([6, undefined]);
});

test("an idle lane whose target answers is dropped at once", () => {
  const lanes = new Lanes({ mostDistrusted: 10 });
  lanes.settle(lanes.get(1, "acc"));
  expect(lanes.size).toBe(0);
});
