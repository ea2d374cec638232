import { expect, test } from "vitest";
import { defaultRetryPolicy } from "../../domain/retry-policy.ts";
import { Lane } from "./lane.ts";
import type { OpenTarget } from "./lane.ts";

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
  creationTime: 0,
  updateTime: 0,
  revision: 1,
  settings: { url: "http://x", headers: {}, contentType: "text/plain", timeoutMs: 1 },
  secrets: { current: "", previous: null, previousUntil: null },
};

test("room is what the concurrency leaves", () => {
  const lane = new Lane(1, "acc");
  lane.inFlight = 5;
  expect(lane.roomAt(target)).toBe(3);
  lane.inFlight = 9;
  expect(lane.roomAt(target)).toBe(0);
});

test("timeouts bring a target down to one attempt at a time, answers bring it back", () => {
  const lane = new Lane(1, "acc");
  for (let inFlight = 7; inFlight >= 0; inFlight--) {
    lane.inFlight = inFlight;
    lane.learn("TIMEOUT");
  }
  expect(lane.roomAt(target)).toBe(1);
  lane.learn("BAD_STATUS");
  expect(lane.roomAt(target)).toBe(2);
  lane.learn("DELIVERED");
  lane.learn("DELIVERED");
  expect(lane.roomAt(target)).toBe(8);
});
