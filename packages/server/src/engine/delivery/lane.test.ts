import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import { Capacity } from "./capacity.ts";
import { Lane } from "./lane.ts";
import type { OpenTarget } from "./lane.ts";
import type { Slot } from "./reservation.ts";

const target: OpenTarget = {
  targetKey: 1,
  accountId: "acc",
  targetId: "t",
  kind: "webhook",
  sealedSettings: "",
  sealedSecrets: "",
  retryPolicy: defaultRetryPolicy,
  maxConcurrency: 8,
  rateLimit: null,
  paused: false,
  failingAfter: null,
  creationTime: 0,
  updateTime: 0,
  revision: 1,
  settings: { url: "http://x", headers: {}, contentType: "text/plain", timeoutMs: 1 },
  secrets: { current: "", previous: null, previousUntil: null },
};

/** The slots of a lane with this many attempts in flight. */
function slotsOf(lane: Lane, inFlight: number): Slot[] {
  const reservation = new Capacity(1_000).reserve("acc", lane, inFlight)!;
  return Array.from({ length: inFlight }, () => reservation.take());
}

test("room is the concurrency minus the attempts in flight", () => {
  const lane = new Lane(1, "acc");
  slotsOf(lane, 5);
  expect(lane.roomAt(target)).toBe(3);
  slotsOf(lane, 4);
  expect(lane.roomAt(target)).toBe(0);
});

test("timeouts reduce a target to one attempt at a time, answers restore it", () => {
  const lane = new Lane(1, "acc");
  for (const slot of slotsOf(lane, 8)) {
    slot.leaveTarget();
    lane.learn("TIMEOUT");
  }
  expect(lane.roomAt(target)).toBe(1);
  lane.learn("BAD_STATUS");
  expect(lane.roomAt(target)).toBe(2);
  lane.learn("DELIVERED");
  lane.learn("DELIVERED");
  expect(lane.roomAt(target)).toBe(8);
});
